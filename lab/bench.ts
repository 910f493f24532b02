/** `npm run bench -w lab`: how quick monoco is, as ratios to what the machine can do at all, measured in turn in one run. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { memory } from "./bench/memory.ts";
import { fleet } from "./bench/fleet.ts";
import { cli, cliIn, openPlayground } from "./bench/playground.ts";
import type { Bench } from "./bench/playground.ts";
import { sandbox } from "./bench/sandbox.ts";
import { sessionChange } from "./bench/session-change.ts";
import { startUp } from "./bench/start-up.ts";
import { print } from "./bench/table.ts";
import type { Row } from "./bench/table.ts";
import { crowd, weekend } from "./bench/weekend.ts";
import { whole } from "./bench/whole.ts";
import { why } from "./bench/why.ts";

const parts: Readonly<Record<string, (bench: Bench) => Promise<Row[]>>> = {
  "start-up": startUp,
  why,
  change: sessionChange,
  sandbox,
  memory,
  whole,
  fleet,
  "weekend-1": weekend(1),
  "weekend-2": weekend(2),
  "weekend-4": weekend(4),
  "crowd-4": crowd(4),
  "crowd-32": crowd(32),
};

const { values: flags } = parseArgs({
  options: {
    /** Parts, by their names; those from memory on take minutes. */
    only: { type: "string", multiple: true, default: ["start-up", "change", "sandbox"] },
    rounds: { type: "string", default: "21" },
    runs: { type: "string" },
    sessions: { type: "string", default: "12" },
    repository: { type: "string", multiple: true, default: [] },
    scale: { type: "string", default: "1" },
    against: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const unknown = flags.only.find((name) => !(name in parts));
if (unknown !== undefined)
  throw new Error(`unknown part "${unknown}"; expected ${Object.keys(parts).join(", ")}`);

const playground = openPlayground();
try {
  const bench: Bench = {
    playground,
    builds: { "": cli, ...(flags.against === undefined ? {} : { " of --against": cliIn(flags.against) }) },
    rounds: Number(flags.rounds),
    runs: flags.runs === undefined ? undefined : Number(flags.runs),
    sessions: Number(flags.sessions),
    repositories: flags.repository.map((path) => resolve(path)),
    scale: Number(flags.scale),
  };
  const rows: Row[] = [];
  for (const name of flags.only) rows.push(...(await parts[name]!(bench)));
  const { sessions, rounds } = bench;
  if (flags.json) process.stdout.write(`${JSON.stringify({ node: process.version, sessions, rows })}\n`);
  else
    print(rows, [
      `${rounds} rounds of each command; loops of ${sessions} instant agents: from one agent's end to the next one's start.`,
    ]);
} finally {
  playground.dispose();
}
