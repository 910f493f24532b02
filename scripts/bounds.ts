/** `npm run bounds`: how long a session of each real CLI takes to end when its model fails for ever, with nothing made less patient. */
import { parseArgs } from "node:util";
import { pinnedAgents } from "./agents.ts";
import { faults, programOf, runAsShipped, subjects } from "./bounds/as-shipped.ts";
import type { Bound, Fault, SubjectName } from "./bounds/as-shipped.ts";

const { values: flags } = parseArgs({
  options: {
    agent: { type: "string", multiple: true, default: Object.keys(subjects) },
    fault: { type: "string", multiple: true, default: Object.keys(faults) },
    /** More make each other's starts slow: OpenCode alone takes 600 MB. */
    "at-once": { type: "string", default: "8" },
    "minutes-max": { type: "string", default: "40" },
  },
});
const minutesMax = numberOf("minutes-max");
const atOnce = numberOf("at-once");

type Cell = { subject: SubjectName; fault: Fault };

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupted.abort());

const cells = cellsFor(flags.agent, flags.fault);
const bounds = new Map<Cell, Bound>();
/** By fault: the silent ones, which last longest, come first. */
const left = cells.toSorted((a, b) => orderOf(a.fault) - orderOf(b.fault));
await Promise.all(Array.from({ length: atOnce }, work));
if (bounds.size > 0) for (const line of tableOf(cells)) process.stdout.write(`${line}\n`);
const bounded = cells.length > 0 && cells.every((cell) => bounds.get(cell)?.late === false);
process.exitCode = interrupted.signal.aborted ? 130 : Number(!bounded);

function numberOf(name: "at-once" | "minutes-max"): number {
  const value = Number(flags[name]);
  if (value > 0) return value;
  throw new Error(`--${name} is a number above 0, not ${flags[name]}`);
}

function cellsFor(agents: readonly string[], names: readonly string[]): Cell[] {
  const wanted = known(subjects, agents);
  const here = wanted.filter((subject) => programOf(subject) !== undefined);
  for (const subject of wanted.filter((one) => !here.includes(one)))
    say(`SKIPPED: ${subject} is not installed here; run \`npm run agents:install\``);
  return here.flatMap((subject) => known(faults, names).map((fault) => ({ subject, fault })));
}

/** In the order of the record, whatever that of the words. */
function known<Name extends string>(record: Record<Name, unknown>, words: readonly string[]): Name[] {
  const unknown = words.filter((word) => !Object.hasOwn(record, word));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(", ")}`);
  return Object.keys(record).filter((name): name is Name => words.includes(name));
}

function orderOf(fault: Fault): number {
  return ["deaf", "hang"].includes(fault) ? 0 : 1;
}

async function work(): Promise<void> {
  for (let cell = left.shift(); cell && !interrupted.signal.aborted; cell = left.shift()) {
    const name = `${cell.subject}, ${cell.fault}`;
    say(`${name}: begun, ${left.length} to come`);
    const bound = await runAsShipped({
      ...cell,
      secondsMax: minutesMax * 60,
      signal: interrupted.signal,
    }).catch((error: unknown) => say(`${name}: ${String(error)}`));
    if (interrupted.signal.aborted) return;
    if (!bound) continue;
    bounds.set(cell, bound);
    say(cellsOf(cell).join(" | "));
    if (bound.reason === undefined) say(bound.said);
    for (const process of bound.left) say(`${name}: LEFT BEHIND: ${process}`);
  }
}

function tableOf(all: readonly Cell[]): string[] {
  const head = ["agent", "fault", "stop reason", "seconds", "requests", "evidence"];
  return [head, head.map(() => "---"), ...all.filter((cell) => bounds.has(cell)).map(cellsOf)].map(
    (row) => `| ${row.join(" | ")} |`,
  );
}

function cellsOf(cell: Cell): string[] {
  const { late, reason, seconds, requests, evidence } = bounds.get(cell)!;
  return [
    `${cell.subject} ${pinnedAgents[subjects[cell.subject].kind].version}`,
    cell.fault,
    late ? `> ${minutesMax} min: NOT BOUNDED` : (reason ?? "no session"),
    String(Math.round(seconds)),
    String(requests),
    (evidence[0] ?? "").replaceAll(/\s+/g, " ").replaceAll("|", String.raw`\|`),
  ];
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
