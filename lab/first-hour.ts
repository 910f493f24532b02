/** `npm run first-hour -w lab`: from an empty home to a merged issue by the commands of the docs alone, with what each took. `--older` plays it on the PATH's older Node. */
import { parseArgs } from "node:util";
import { olderNode } from "./first-hour/machine.ts";
import { playFirstHour } from "./first-hour/play.ts";

const { values: flags } = parseArgs({ options: { older: { type: "boolean", default: false } } });

const node = flags.older ? olderNode([22, 18]) : process.execPath;
if (node === undefined) throw new Error("--older: the PATH has no Node older than 22.18");
const { node: version, tooOld, roads } = playFirstHour(node);
process.stdout.write(`Node ${version}\n`);
if (tooOld !== undefined) process.stdout.write(`\nmonoco by itself:\n${tooOld}`);
for (const { name, steps, merged } of roads) {
  process.stdout.write(`\n${name}, ${steps.length} commands:\n`);
  for (const { line, seconds } of steps)
    process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${line}\n`);
  process.stdout.write(`           merged: ${merged}\n`);
}
