/** Runs what a verdict names on the base as well: a clone of the commit that the submission started from, set up the same way. */
import { join } from "node:path";
import { treeOf } from "../../git/repository.ts";
import { snapshotFolder } from "../../git/snapshot.ts";
import { ignoredIn, treeWith } from "../../git/trees.ts";
import { rerunMsMax, rerunsMsMax } from "../../core/limits.ts";
import type { CheckResult } from "../../core/review/check-result.ts";
import { lackedBy, lastNumber } from "../../core/review/evidence.ts";
import type { Ran } from "../../core/review/evidence.ts";
import type { BaseRun } from "../../core/review/verdict/to-run.ts";
import type { Edit } from "../../core/trial/overlays.ts";
import { runCommands } from "../run-checks.ts";
import type { CommandRun } from "../run-checks.ts";
import { contractNow } from "./contract.ts";
import { evidenceShell, keepTreeRuns, openClone, outputOf, restoreClone, treeRuns } from "./tree-runs.ts";
import { limitsOf, startOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { t } from "../../core/language/translate.ts";
import { named } from "../run-name.ts";

/** By command. `measured` has the figures of both sides. */
export type BaseRuns = {
  base: Map<string, Ran>;
  measured: Map<string, Ran>;
  /** How long what ran took, set-up and measuring left out. */
  ms: number;
  /** Why nothing could be run there. */
  trouble?: string;
};

/** The Reviewer's clone, which is as submitted, and the files that the Reviewer added to it. */
export type Clone = {
  folder: string;
  added: readonly Edit[];
  /** Makes it again what it was, after a command. */
  restore: () => Promise<void>;
};

/** Runs on each side whose median counts. */
const measuredRuns = 3;

/**
 * Each command's ending on the base, from what is known of that tree with those files where it has run before. What did not
 * run, because time ran out or a person stopped it, is in none of the maps.
 */
export async function runOnBase(
  relay: Relay,
  of: { head: string; commands: readonly BaseRun[]; logs: string; clone: Clone },
): Promise<BaseRuns> {
  const found: BaseRuns = { base: new Map(), measured: new Map(), ms: 0 };
  if (of.commands.length === 0) return found;
  const { git } = relay.repository;
  const start = await startOf(relay, of.head);
  const setUpAt = await treeOf(git, start);
  const own = snapshotFolder(relay.places.base);
  const tree = await treeWith(relay.repository, { start, edits: of.clone.added, own });
  const at = { setUpAt, tree };
  const unknown = (): BaseRun[] => {
    for (const [command, { exitCode, missing }] of treeRuns(relay, at))
      found.base.set(command, { exitCode, ...(missing && { missing }) });
    return of.commands.filter(({ command, margin }) => margin !== undefined || !found.base.has(command));
  };
  if (unknown().length === 0) return found;
  const folder = relay.places.base;
  const logs = join(of.logs, "base");
  const failed = await openClone(relay, { commit: start, tree: setUpAt, folder, trusted: true, logs });
  if (failed) return { ...found, trouble: t`the set-up fails on the base (${failed.command})` };
  found.ms += await buildAsOn(relay, { folder, tree: setUpAt, like: of.clone.folder, logs });
  const left = unknown();
  const restore = (): Promise<void> => restoreClone(relay, folder, tree);
  const { fresh, ms } = await runOnce(relay, { left, logs, restore });
  found.ms += ms;
  if (relay.control.interrupt.aborted) return found;
  for (const [command, ran] of fresh) found.base.set(command, ran);
  const ended = [...fresh].flatMap(([command, { exitCode, missing }]) =>
    exitCode === null ? [] : [[command, { exitCode, ...(missing && { missing }) }] as const],
  );
  keepTreeRuns(relay, at, new Map(ended));
  for (const { command, margin } of left) {
    if (margin) await measure(relay, { command, logs, clone: of.clone, restore, found });
  }
  return found;
}

/** What the checks have built on the submission, and git ignores, is built on the base as well: else it would be missing there. In ms. */
async function buildAsOn(
  relay: Relay,
  { folder, tree, like, logs }: { folder: string; tree: string; like: string; logs: string },
): Promise<number> {
  const { checks } = contractNow(relay);
  const built = await ignoredIn(relay.repository, like, tree);
  const here = new Set(await ignoredIn(relay.repository, folder, tree));
  if (checks.length === 0 || built.every((path) => here.has(path))) return 0;
  const minutes = limitsOf(relay).checkMinutes;
  const run = {
    commands: checks,
    folder,
    logs: join(logs, "build"),
    name: named`the checks on the base`,
    minutes,
  };
  const results = await runCommands(relay, run, false);
  const green = results.filter(({ exitCode }) => exitCode === 0);
  // A red one is seen again before it counts.
  keepTreeRuns(
    relay,
    { setUpAt: tree, tree },
    new Map(green.map(({ command }) => [command, { exitCode: 0 }])),
  );
  return msOf(results);
}

function msOf(results: readonly CheckResult[]): number {
  return results.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** Those that are not measured, by their names. */
async function runOnce(
  relay: Relay,
  { left, logs, restore }: { left: readonly BaseRun[]; logs: string; restore: () => Promise<void> },
): Promise<{ fresh: Map<string, Ran>; ms: number }> {
  const folder = relay.places.base;
  const { checks } = contractNow(relay);
  // A Reviewer may have written its own clone's place into a command.
  const there = (command: string): string => command.replaceAll(relay.places.review, folder);
  const given = new Map(left.flatMap(({ command, margin }) => (margin ? [] : [[there(command), command]])));
  const once = [...given.keys()];
  const at = { folder, name: named`evidence on the base`, before: restore };
  const results = [
    // As long as a check may take, and by the same shell.
    ...(await runCommands(
      relay,
      {
        ...at,
        commands: once.filter((command) => checks.includes(command)),
        logs: join(logs, "checks"),
        minutes: limitsOf(relay).checkMinutes,
      },
      false,
    )),
    ...(await run(relay, { ...at, commands: once.filter((command) => !checks.includes(command)), logs })),
  ];
  const fresh = new Map(results.map((result) => [given.get(result.command)!, ranOf(relay, result)]));
  return { fresh, ms: msOf(results) };
}

type Evidence = Pick<CommandRun, "commands" | "folder" | "logs" | "name" | "before">;

/** Each in at most `rerunMsMax`, all in `rerunsMsMax`; interrupted ones are left out. */
export async function run(relay: Relay, evidence: Evidence): Promise<CheckResult[]> {
  if (evidence.commands.length === 0) return [];
  const limits = { minutes: rerunMsMax / 60_000, totalMs: rerunsMsMax };
  const results = await runCommands(relay, { ...evidence, ...limits, shell: evidenceShell }, false);
  return relay.control.interrupt.aborted ? results.slice(0, -1) : results;
}

/** The sides in turn, so that a busy machine is as busy for both. */
async function measure(
  relay: Relay,
  of: { command: string; logs: string; clone: Clone; restore: () => Promise<void>; found: BaseRuns },
): Promise<void> {
  const { command, logs, clone, restore, found } = of;
  const figures: { branch: number[]; base: number[] } = { branch: [], base: [] };
  const sides = {
    branch: { folder: clone.folder, before: clone.restore },
    base: { folder: relay.places.base, before: restore },
  };
  for (let n = 1; n <= measuredRuns; n += 1) {
    for (const side of ["branch", "base"] as const) {
      const here = side === "base" ? command.replaceAll(clone.folder, relay.places.base) : command;
      const at = { commands: [here], ...sides[side], logs: join(logs, `measured-${side}-${n}`) };
      const [result] = await run(relay, { ...at, name: named`measuring ${n} of ${measuredRuns}` });
      if (!result) return;
      figures[side].push(lastNumber(outputOf(relay, result)) ?? result.durationMs);
      const known = side === "base" ? found.base : found.measured;
      const before = n === 1 ? 0 : known.get(command)?.exitCode;
      const ran = ranOf(relay, result);
      known.set(command, { ...ran, exitCode: before === 0 ? ran.exitCode : before!, figures: figures[side] });
    }
  }
}

/** How it ended, with what its output says. */
export function ranOf(relay: Relay, result: CheckResult): Ran {
  const { exitCode } = result;
  const lacks = lackedBy(exitCode, outputOf(relay, result));
  return { exitCode, ...(lacks !== undefined && { missing: true, lacks }) };
}
