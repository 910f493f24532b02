/**
 * `npm run first-hour -w lab`: from an empty home to a merged issue by the commands of the docs alone, for each kind of project
 * whose tool is there, with what each took. `--older` plays it on the PATH's older Node, `--shell zsh` in another shell.
 */
import { parseArgs } from "node:util";
import { olderNode } from "./first-hour/machine.ts";
import { playFirstHour } from "./first-hour/play.ts";

const { values: flags } = parseArgs({
  options: { older: { type: "boolean", default: false }, shell: { type: "string", default: "bash" } },
});

const node = flags.older ? olderNode([22, 18]) : process.execPath;
if (node === undefined) throw new Error("--older: the PATH has no Node older than 22.18");
const shell = flags.shell === "zsh" ? "zsh" : "bash";
const { node: version, tooOld, roads, missing } = playFirstHour(node, shell);
process.stdout.write(`Node ${version}, ${shell}\n`);
if (tooOld !== undefined) process.stdout.write(`\nmonoco by itself:\n${tooOld}`);
for (const { name, steps, merged } of roads) {
  process.stdout.write(`\n${name}, ${steps.length} commands:\n`);
  for (const { line, seconds } of steps)
    process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${line}\n`);
  process.stdout.write(`           merged: ${merged}\n`);
}
if (missing.length > 0) process.stdout.write(`\nnot here: ${missing.join(", ")}\n`);
