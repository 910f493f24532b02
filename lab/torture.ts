/** `npm run torture -w lab`: what has to hold whatever happens, tried many times; one table with cases, violations, seeds and time. */
import { parseArgs } from "node:util";
import { partFrom, whole } from "./torture/part.ts";
import { addTo, machineNow, summaryOf } from "./torture/record.ts";
import { programmes } from "./torture/table.ts";
import type { Came, Programme } from "./torture/row.ts";

type Row = Came & { name: string; holds: string; seconds: number };

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    long: { type: "boolean", default: false },
    part: { type: "string" },
    record: { type: "string" },
    summary: { type: "string" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const size = flags.long ? "long" : "short";
const part = flags.part === undefined ? whole : partFrom(flags.part);
const chosen = programmes.filter(
  ({ name }) => flags.only.length === 0 || flags.only.some((one) => name.includes(one)),
);

if (flags.summary !== undefined)
  for (const line of summaryOf(
    flags.summary,
    programmes.map(({ name }) => name),
  ))
    say(line);
else if (part === undefined || (flags.part !== undefined && !flags.long)) {
  process.stderr.write("--part: expected K/N, with --long\n");
  process.exitCode = 2;
} else await tryAll();

async function tryAll(): Promise<void> {
  const rows: Row[] = [];
  for (const programme of chosen) rows.push(await tried(programme));
  if (flags.json) say(JSON.stringify({ size, rows }));
  else print(rows);
  process.exitCode = chosen.length > 0 && rows.every(({ violations }) => violations.length === 0) ? 0 : 1;
}

async function tried({ name, holds, run }: Programme): Promise<Row> {
  const machine = machineNow();
  const begin = performance.now();
  const tell = (progress: string): void => void process.stderr.write(`${name}: ${progress}\n`);
  const seed = Number(flags.seed);
  const came = await run({ size, seed, part: part!, say: tell }).catch((error: unknown): Came => ({
    n: 0,
    violations: [`not tried: ${String(error)}`],
  }));
  const row = { name, holds, ...came, seconds: Math.round((performance.now() - begin) / 1000) };
  const { n, violations, seconds, notes = [], seeds = "-" } = row;
  const entry = { programme: name, part: `${part!.k}/${part!.of}`, ...machine, seed, seeds, n, violations };
  if (flags.record !== undefined && flags.long) addTo(flags.record, { ...entry, notes, seconds });
  return row;
}

function print(rows: readonly Row[]): void {
  say(`${"programme".padEnd(20)}${"cases".padStart(9)}${"violations".padStart(12)}${"s".padStart(7)}  seeds`);
  for (const { name, n, violations, seconds, seeds = "-" } of rows)
    say(
      `${name.padEnd(20)}${String(n).padStart(9)}${String(violations.length).padStart(12)}${String(seconds).padStart(7)}  ${seeds}`,
    );
  for (const { name, holds, violations, notes = [] } of rows) {
    say(`\n${name}: ${holds}`);
    for (const note of notes) say(`  ${note}`);
    for (const violation of violations.slice(0, 20)) say(`  VIOLATION ${violation}`);
  }
}
