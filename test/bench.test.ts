/** The bench runs to its end and measures all that it promises; what the figures are is no test's matter. */
import { join } from "node:path";
import { execa } from "execa";
import { expect } from "vitest";
import { full as test } from "./support/full.ts";

type Row = { name: string; unit: string; median: number; aim?: number; met?: boolean; ratio?: unknown };

test("npm run bench measures every row once, and says of each aim whether it is met", async () => {
  const bench = join(import.meta.dirname, "../scripts/bench.ts");
  const few = ["--rounds", "1", "--runs", "1", "--sessions", "2"];
  const { stdout } = await execa(process.execPath, [bench, ...few, "--json"], { stdin: "ignore" });
  const { rows, sessions } = JSON.parse(stdout) as { rows: Row[]; sessions: number };
  expect(sessions).toBe(2);
  for (const row of rows) expect(row.median).toBeGreaterThan(0);
  expect(rows.map(({ name, aim, met }) => [name, aim, typeof met])).toEqual([
    ["node -e 0", undefined, "undefined"],
    ["monoco --version", 1.1, "boolean"],
    ["monoco hook on-stop", 1.3, "boolean"],
    ["monoco relay status", 3, "boolean"],
    ["monoco issue list, 1,000 issues", 6, "boolean"],
    ["monoco issue list, 10,000 issues", 15, "boolean"],
    ["bash loop", undefined, "undefined"],
    ["bare Node loop", undefined, "undefined"],
    ["monoco run", 3, "boolean"],
    ["monoco run: to the first agent", undefined, "undefined"],
    ["monoco run: peak memory", 90, "boolean"],
  ]);
});
