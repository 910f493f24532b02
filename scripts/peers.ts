/** `npm run bench:peers`: what monoco and other tools of its kind cost besides their agents, and what they do when killed. */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { costsOf } from "./peers/costs.ts";
import type { Costs } from "./peers/costs.ts";
import { floors, monoco, notDriven, peers } from "./peers/table.ts";
import { triedOn } from "./peers/trials.ts";

const { values: flags } = parseArgs({
  options: {
    trials: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    rounds: { type: "string", default: "3" },
    sessions: { type: "string", default: "6" },
    json: { type: "boolean", default: false },
  },
});

const chosen = [...floors, monoco, ...peers].filter(
  ({ name }) => flags.only.length === 0 || flags.only.includes(name),
);
const failures: { name: string; said: string }[] = [...notDriven];
const rows = flags.trials
  ? await triedOn(chosen, (progress) => void process.stderr.write(`${progress}\n`))
  : (
      await costsOf(chosen, {
        rounds: Number(flags.rounds),
        sessions: Number(flags.sessions),
        failed: ({ name }, said) => failures.push({ name, said }),
      })
    ).map(cells);
const about = chosen.map(({ name, install, purpose }) => ({ name, install, purpose }));
if (flags.json)
  process.stdout.write(`${JSON.stringify({ node: process.version, about, rows, notDriven: failures })}\n`);
else print();

function cells({ name, changeMs, ratio, firstAgentMs, peakMb, files, kilobytes, syncs }: Costs) {
  const ms = ({ median, low, high }: Costs["changeMs"]): string =>
    `${short(median)} ms (${short(low)}–${short(high)})`;
  return {
    tool: name,
    "between two sessions": ms(changeMs),
    "× bare Node loop": ratio ? short(ratio.median) : "",
    "to the first agent": ms(firstAgentMs),
    "peak memory": `${peakMb} MB`,
    "files left": `${files}, ${kilobytes} kB`,
    "syncs a session": syncs === undefined ? "no strace" : short(syncs),
  };
}

function short(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

function print(): void {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  say(`${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} processors.\n`);
  const heads = Object.keys(rows[0] ?? {});
  say(`| ${heads.join(" | ")} |\n|${" --- |".repeat(heads.length)}`);
  for (const row of rows) say(`| ${Object.values(row).join(" | ")} |`);
  say("");
  for (const { name, install, purpose } of about) say(`${name}: ${purpose}. ${install.join(", ")}`);
  for (const { name, said } of failures) say(`${name}: not driven. ${said}`);
}
