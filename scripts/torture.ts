/** `npm run torture`: what has to hold whatever happens, tried many times; one table with cases, violations, seeds and time. */
import { parseArgs } from "node:util";
import { programmes } from "./torture/table.ts";
import type { Came, Programme } from "./torture/row.ts";

type Row = Came & { name: string; holds: string; seconds: number };

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    long: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});

const chosen = programmes.filter(
  ({ name }) => flags.only.length === 0 || flags.only.some((one) => name.includes(one)),
);
const rows: Row[] = [];
for (const programme of chosen) rows.push(await tried(programme));
if (flags.json) process.stdout.write(`${JSON.stringify({ size: sizeOf(), rows })}\n`);
else print();
process.exitCode = chosen.length > 0 && rows.every(({ violations }) => violations.length === 0) ? 0 : 1;

function sizeOf(): "short" | "long" {
  return flags.long ? "long" : "short";
}

async function tried({ name, holds, run }: Programme): Promise<Row> {
  const begin = performance.now();
  const say = (progress: string): void => void process.stderr.write(`${name}: ${progress}\n`);
  const came = await run({ size: sizeOf(), seed: Number(flags.seed), say }).catch((error: unknown): Came => ({
    n: 0,
    violations: [`not tried: ${String(error)}`],
  }));
  return { name, holds, ...came, seconds: Math.round((performance.now() - begin) / 1000) };
}

function print(): void {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
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
