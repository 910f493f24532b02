/** `npm run bench`: how quick monoco is, as ratios to what the machine can do at all, measured in turn in one run. */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { cli, cliIn, openPlayground } from "./bench/playground.ts";
import type { Builds } from "./bench/playground.ts";
import { measureInTurn, ratios, spreadOf } from "./bench/rounds.ts";
import type { Measured, Spread } from "./bench/rounds.ts";
import { changeNames, sessionChange } from "./bench/session-change.ts";
import type { RunFigures } from "./bench/session-change.ts";
import { spawnNames, spawns } from "./bench/spawn.ts";
import { startUp, startUpNames } from "./bench/start-up.ts";

/** One line of the table. `ratio` is to `beside`, pair by pair; an aim is held against its median, or the figure's own. */
type Row = Spread & {
  name: string;
  unit: "ms" | "MB";
  beside?: string;
  ratio?: Spread;
  aim?: number;
  met?: boolean;
};

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "21" },
    runs: { type: "string", default: "7" },
    sessions: { type: "string", default: "12" },
    against: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const sessions = Number(flags.sessions);
const other = " of --against";
const builds: Builds = { "": cli, ...(flags.against === undefined ? {} : { [other]: cliIn(flags.against) }) };
const whiches = Object.keys(builds);

const playground = openPlayground();
try {
  const quick = await measureInTurn(startUp(playground, builds), Number(flags.rounds));
  const figures = Object.fromEntries(
    whiches.map((which): [string, RunFigures] => [which, { firstAgentMs: [], peakMb: [] }]),
  );
  const change = await measureInTurn(
    sessionChange(playground, { sessions, figures, builds }),
    Number(flags.runs),
  );
  const spawned = await measureInTurn(spawns(playground), Number(flags.rounds));
  const { floor, version, hook, status, list, longList } = startUpNames;
  const { bash, node, monoco, sandboxed } = changeNames;
  const each = (measured: Measured, name: string, beside: string, aim: number): Row[] =>
    whiches.map((which) => row(measured, name + which, { beside, aim: which === "" ? aim : undefined }));
  const rows: Row[] = [
    row(quick, floor),
    ...each(quick, version, floor, 1.1),
    ...each(quick, hook, floor, 1.3),
    ...each(quick, status, floor, 3),
    ...each(quick, list, floor, 6),
    ...each(quick, longList, floor, 15),
    ...spawnRows(spawned),
    row(change, bash),
    row(change, node),
    ...each(change, monoco, node, 3),
    ...each(change, sandboxed, node, 3),
    ...whiches.flatMap((which) => [
      {
        name: `monoco run: to the first agent${which}`,
        unit: "ms" as const,
        ...spreadOf(figures[which]!.firstAgentMs),
      },
      memory(which, figures[which]!.peakMb),
    ]),
  ];
  if (flags.json) process.stdout.write(`${JSON.stringify({ node: process.version, sessions, rows })}\n`);
  else print(rows);
} finally {
  playground.dispose();
}

function row(measured: Measured, name: string, held?: { beside: string; aim: number | undefined }): Row {
  const own: Row = { name, unit: "ms", ...spreadOf(measured[name]!) };
  if (!held) return own;
  const ratio = spreadOf(ratios(measured[name]!, measured[held.beside]!));
  const { beside, aim } = held;
  return { ...own, beside, ratio, ...(aim === undefined ? {} : { aim, met: ratio.median <= aim }) };
}

/** Beside the PID namespace, spawn by spawn: what the sandbox costs more. */
function spawnRows(measured: Measured): Row[] {
  const { namespace, sandbox } = spawnNames;
  const [alone, held] = [measured[namespace], measured[sandbox]];
  if (!alone || !held) return [];
  const more = spreadOf(held.map((ms, round) => ms - alone[round]!));
  const aim = 5;
  const last: Row = { name: "the sandbox alone", unit: "ms", ...more, aim, met: more.median <= aim };
  return [row(measured, namespace), row(measured, sandbox), last];
}

function memory(which: string, peakMb: readonly number[]): Row {
  const aim = 90;
  const own: Row = { name: `monoco run: peak memory${which}`, unit: "MB", ...spreadOf(peakMb) };
  return which === "" ? { ...own, aim, met: own.median <= aim } : own;
}

function print(rows: readonly Row[]): void {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const cells = rows.map(cellsOf);
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  say(
    `Node ${process.version}, ${cpus().length} processors. Medians; in brackets where the middle half lies.`,
  );
  say(
    `${flags.rounds} rounds of each command; ${flags.runs} runs of each loop with ${sessions} instant agents:`,
  );
  say("from one agent's end to the next one's start.\n");
  for (const row of cells)
    say(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    );
  const held = rows.filter((row) => row.aim !== undefined);
  say(`\n${held.filter((row) => row.met).length} of ${held.length} aims met.`);
}

function cellsOf(row: Row): string[] {
  const { name, unit, beside, ratio, aim, met } = row;
  const told = ratio ? `${figure(ratio)} × ${beside}` : "";
  const limit = ratio ? `${aim} ×` : `${aim} ${unit}`;
  return [
    name,
    `${figure(row)} ${unit}`,
    told,
    aim === undefined ? "" : `aim ≤ ${limit}: ${met ? "met" : "NOT met"}`,
  ];
}

function figure({ median, low, high }: Spread): string {
  return `${short(median)} (${short(low)}–${short(high)})`;
}

function short(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0);
}
