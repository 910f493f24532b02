/** The bench runs to its end and measures all that it promises; what the figures are is no test's matter. */
import { join } from "node:path";
import { execa } from "execa";
import { expect } from "vitest";
import { hasBubblewrap } from "../../src/agents/sandbox.ts";
import { full as test } from "../../test/support/full.ts";

type Row = { name: string; unit: string; median: number; aim?: number; met?: boolean; ratio?: unknown };

/** Rows that are measured where bubblewrap works. */
const held = (...rows: [string, number?][]): [string, number?][] => (hasBubblewrap() ? rows : []);

const defaults: [string, number?][] = [
  ["node -e 0"],
  ["monoco --version", 1.1],
  ["monoco hook on-stop", 1.3],
  ["monoco status"],
  ["monoco issue list, 1,000 issues", 300],
  ["monoco issue list, 10,000 issues", 1_000],
  ["bash loop"],
  ["bare Node loop"],
  ["monoco run", 180],
  ...held(["monoco run in the sandbox"]),
  ["monoco run: to the first agent", 500],
  ["monoco resume: to the first agent", 500],
  ["monoco run: peak memory", 120],
  ...held(["/bin/true in a PID namespace"], ["/bin/true in the sandbox"]),
  ...held(["the sandbox alone", 5]),
];

test.for<[string, string[], [string, number?][]]>([
  ["every row", ["--rounds", "1"], defaults],
  [
    "of memory every row",
    ["--only", "memory", "--scale", "0.02"],
    [
      ["peak memory: an idle agent", 120],
      ["peak memory: 1 sessions", 120],
      ["peak memory: 2 MB of short lines", 200],
      ["peak memory: 2 MB of binary", 200],
      ["peak memory: 2 MB of deep JSON", 200],
    ],
  ],
  [
    "of whole relays every row",
    ["--only", "whole", "--runs", "1"],
    [
      ["a whole relay in an empty repository", 1],
      ["… its clone", 1.1],
    ],
  ],
])(
  "npm run bench measures %s once, and says of each aim whether it is met",
  { timeout: 300_000 },
  async ([, flags, expected]) => {
    const bench = join(import.meta.dirname, "../bench.ts");
    const few = ["--runs", "1", "--sessions", "2", "--json"];
    const { stdout } = await execa(process.execPath, [bench, ...flags, ...few], { stdin: "ignore" });
    const { rows, sessions } = JSON.parse(stdout) as { rows: Row[]; sessions: number };
    expect(sessions).toBe(2);
    for (const row of rows) expect(row.unit === "" || row.median > 0).toBe(true);
    expect(rows.map(({ name, aim, met }) => [name, aim, typeof met])).toEqual(
      expected.map(([name, aim]) => [name, aim, aim === undefined ? "undefined" : "boolean"]),
    );
  },
);
