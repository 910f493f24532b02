/** Runs a plan's commands in clones of the base and the submission, whose files are set to a tree; once for each tree. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { removeClone } from "../../git/clone/workspace.ts";
import { GitError } from "../../git/git.ts";
import { snapshotFolder } from "../../git/snapshot.ts";
import { treeWith } from "../../git/trees.ts";
import { MonocoError } from "../../core/error/error.ts";
import { isRun, minutesFor } from "../../core/trial/due.ts";
import type { Due, Ended, Runs, Side, TreeRun, Why } from "../../core/trial/due.ts";
import { writeAtomically } from "../../store/durable.ts";
import { limitsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { runCommands, setUp } from "../run-checks.ts";
import { runName } from "../run-name.ts";
import type { RunName } from "../run-name.ts";
import { keep, keptRuns, treeKey } from "./kept-runs.ts";
import { endedOf, outputCharsMax, outputOf } from "./ended.ts";
import { copyElsewhere, openClone, restore } from "./side-clone.ts";
import type { Place } from "./side-clone.ts";
import { slots } from "./slots.ts";
import type { Slots } from "./slots.ts";

export type RunnerOptions = {
  sides: Readonly<Record<Side, Place>>;
  logs: string;
  /** The time for all runs that may be dropped, including those of earlier runners with the same account. */
  msMax: number;
  /** The file that records how much of `msMax` is spent. */
  account: string;
  /** How long each check took on the submission. */
  firstMs: ReadonlyMap<string, number>;
  /** Aborted, it ends the running command and starts no other. */
  stop?: AbortSignal;
  /** Aborted, it starts no other command. */
  enough?: AbortSignal;
  /** Uses kept results only and runs nothing. */
  knownOnly?: boolean;
  /** Runs at low priority, while a session works. */
  nice?: boolean;
  /** Commands to run before evidence on a tree, since evidence looks at what they build; their exit status does not matter. */
  builds?: readonly string[];
};

export type Runner = {
  /** Runs what a plan asks for until it returns its result. Plans that run at the same time share the clones and cores. */
  drive<T>(plan: Runs<T>): Promise<T>;
  /** The time that all commands took, without set-ups. */
  ms(): number;
  options: RunnerOptions;
};

/** A runner of trees for a submission. Its clones stay for the next runner. */
export function treeRunner(relay: Relay, options: RunnerOptions): Runner {
  const bench: Bench = {
    relay,
    options,
    msSpent: spentBefore(options.account),
    ms: 0,
    runs: 0,
    ready: new Set(),
    built: new Map(),
    running: new Map(),
    lanes: new Map(),
  };
  const free = slots(availableParallelism());
  const drive = async <T>(plan: Runs<T>): Promise<T> => {
    let step = plan.next();
    while (!step.done) step = plan.next(await inLane(bench, step.value, free));
    return step.value;
  };
  return { drive, ms: () => Math.round(bench.ms), options };
}

type Bench = {
  relay: Relay;
  options: RunnerOptions;
  /** The part of `msMax` that is spent. */
  msSpent: number;
  /** The time that this runner's own commands took. */
  ms: number;
  runs: number;
  ready: Set<Side>;
  /** The tree on which the builds last ran, by side. */
  built: Map<Side, string>;
  /** Runs in progress by tree: if both sides ask for the same tree, the second waits for the first's result. */
  running: Map<string, Promise<Ended>>;
  /** The last run in each side's clone. */
  lanes: Map<Side, Promise<unknown>>;
};

const spentBefore = (account: string): number =>
  existsSync(account) ? Number(readFileSync(account, "utf8")) || 0 : 0;

/** Runs on the base are never dropped, nor is a verdict's evidence, whose runs have a limit of `rerunMsMax`. */
const mayBeDropped = ({ always, evidence }: Due): boolean => !always && !evidence;

function spend(bench: Bench, due: Due, ms: number): void {
  bench.ms += ms;
  if (!mayBeDropped(due)) return;
  bench.msSpent += ms;
  writeAtomically(bench.options.account, String(Math.round(bench.msSpent)));
}

/** Runs a side's work one after the other: its clone holds one tree at a time. */
async function inLane(bench: Bench, due: Due, free: Slots): Promise<Ended> {
  const before = bench.lanes.get(due.on.side);
  const mine = (async () => {
    await before?.catch(() => undefined);
    const tree = await treeOf(bench, due);
    if (!isKept(due)) return free(() => runDue(bench, due, tree));
    const key = `${treeKey(bench.relay, { setUpAt: bench.options.sides[due.on.side].tree, tree })} ${keyOf(due)}`;
    await bench.running.get(key)?.catch(() => undefined);
    const kept = knownOf(bench, due, tree);
    if (kept) return kept;
    const run = free(() => runDue(bench, due, tree));
    bench.running.set(key, run);
    return run;
  })();
  bench.lanes.set(due.on.side, mine);
  return mine;
}

/** Results in the Reviewer's clone and measurements are not kept. */
const isKept = ({ on, why }: Due): boolean => on.side !== "review" && why !== "measured";

async function treeOf({ relay, options }: Bench, { on }: Due): Promise<string> {
  const { commit, tree, folder } = options.sides[on.side];
  if (on.edits.length === 0) return tree;
  return treeWith(relay.repository, { start: commit, edits: on.edits, own: snapshotFolder(folder) });
}

const keyOf = (due: Due): string =>
  [due.command, ...(due.setsUp ? ["#setup"] : []), ...(due.why === "elsewhere" ? ["#elsewhere"] : [])].join(
    "\n",
  );

function knownOf({ relay, options }: Bench, due: Due, tree: string): TreeRun | undefined {
  return keptRuns(relay, { setUpAt: options.sides[due.on.side].tree, tree }).get(keyOf(due));
}

async function runDue(bench: Bench, due: Due, tree: string): Promise<Ended> {
  const { relay, options } = bench;
  const side = options.sides[due.on.side];
  if (options.knownOnly || options.stop?.aborted || options.enough?.aborted) return "time";
  if (mayBeDropped(due) && bench.msSpent >= options.msMax) return "time";
  if (!(await makeReady(bench, due.on.side))) return isStopped(bench) ? "time" : "no_setup";
  let run = await runOnce(bench, due, tree);
  if (due.sure && isRun(run) && run.exitCode !== 0 && !due.isSettled?.(run.output ?? "")) {
    const second = await runOnce(bench, due, tree);
    if (!isRun(second)) run = second;
    else if (second.exitCode === 0) run = { exitCode: 0, flaky: true };
  }
  if (due.setsUp) {
    removeClone(side.folder);
    bench.ready.delete(due.on.side);
  }
  if (isRun(run) && isKept(due)) keep(relay, { setUpAt: side.tree, tree }, new Map([[keyOf(due), run]]));
  return run;
}

const isStopped = ({ relay, options }: Bench): boolean =>
  relay.control.interrupt.aborted || options.stop?.aborted === true;

async function makeReady(bench: Bench, side: Side): Promise<boolean> {
  // The Reviewer's clone exists already, with the files that its session left.
  if (side === "review" || bench.ready.has(side)) return true;
  const { relay, options } = bench;
  const { logs, stop, nice = false } = options;
  const failed = await openClone(relay, { ...options.sides[side], logs: join(logs, "setup"), stop, nice });
  if (!failed) bench.ready.add(side);
  return !failed;
}

/** Restores a clone; makes it again, once, if a command made it unusable. False if it cannot be set up again. */
async function restored(bench: Bench, side: Side, tree: string): Promise<boolean> {
  const { relay, options } = bench;
  const { folder } = options.sides[side];
  try {
    await restore(relay, folder, tree);
    return true;
  } catch (error) {
    if (side === "review" || !(error instanceof MonocoError || error instanceof GitError)) throw error;
    removeClone(folder);
    bench.ready.delete(side);
    if (!(await makeReady(bench, side))) return false;
    await restore(relay, folder, tree);
    return true;
  }
}

async function runOnce(bench: Bench, due: Due, tree: string): Promise<Ended> {
  const { relay, options } = bench;
  const { side } = due.on;
  const own = options.sides[side].folder;
  if (!(await restored(bench, side, tree))) return "time";
  bench.runs += 1;
  const logs = join(options.logs, String(bench.runs));
  const evidence = due.evidence ?? false;
  const minutesMax = minutesFor(due, {
    firstMs: options.firstMs,
    checkMinutes: limitsOf(relay).checkMinutes,
  });
  const left = mayBeDropped(due) ? (options.msMax - bench.msSpent) / 60_000 : Infinity;
  const minutes = Math.min(minutesMax, left);
  const beside = { stop: options.stop, nice: options.nice ?? false, logs };
  if (
    due.setsUp &&
    (await setUp(relay, { ...beside, folder: own, logs: join(logs, "setup"), trusted: false }))
  )
    return isStopped(bench) ? "time" : "no_setup";
  if (evidence && side !== "review" && (options.builds ?? []).length > 0 && bench.built.get(side) !== tree) {
    const run = {
      ...beside,
      commands: options.builds!,
      folder: own,
      name: runName`building`,
      minutes: limitsOf(relay).checkMinutes,
    };
    for (const built of await runCommands(relay, run, false)) {
      spend(bench, due, built.durationMs);
      // A build is a check, so its result is kept for this tree.
      const place = { setUpAt: options.sides[side].tree, tree };
      if (built.exitCode === 0)
        keep(
          relay,
          place,
          new Map([[built.command, endedOf(relay, built, { outOfTime: false }) as TreeRun]]),
        );
    }
    bench.built.set(side, tree);
  }
  const elsewhere = due.why === "elsewhere" ? await copyElsewhere(relay, own, tree) : undefined;
  const folder = elsewhere ?? own;
  // The Reviewer may have written the path of its clone into the command.
  const commands = [evidence ? due.command.replaceAll(relay.places.review, folder) : due.command];
  const of = { commands, folder, name: nameOf(due), minutes, evidence, plain: elsewhere !== undefined };
  const [result] = await runCommands(relay, { ...beside, ...of }, false);
  if (elsewhere) rmSync(dirname(elsewhere), { recursive: true, force: true });
  if (!result || isStopped(bench)) return "time";
  spend(bench, due, result.durationMs);
  const ended = endedOf(relay, result, { outOfTime: evidence || minutes < minutesMax });
  if (due.why !== "measured" || !isRun(ended)) return ended;
  return { ...ended, output: outputOf(relay, result).slice(-outputCharsMax), durationMs: result.durationMs };
}

/** The name of a run, for its log and for people. */
function nameOf({ why, place = "" }: Due): RunName {
  const names: Readonly<Record<Why, () => RunName>> = {
    again: () => runName`check again`,
    new_tests: () => runName`the new tests on the base`,
    on_base: () => runName`on the base`,
    selected: () => runName`the changed tests`,
    crossed: () => runName`crossed tests`,
    without: () => runName`without ${place}`,
    evidence: () => runName`evidence`,
    words: () => runName`without the work`,
    names: () => runName`with new names alone`,
    data: () => runName`without data`,
    comment: () => runName`with a comment`,
    elsewhere: () => runName`in another folder`,
    measured: () => runName`measuring`,
  };
  return names[why]();
}
