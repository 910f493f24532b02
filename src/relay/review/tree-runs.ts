/** Runs commands on trees: in a clone of the base or of the submission whose files are made those of the tree, once for each tree. */
import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { bootId } from "../../agents/process-identity.ts";
import { snapshotFolder } from "../../git/snapshot.ts";
import { MonocoError } from "../../core/error/error.ts";
import { GitError } from "../../git/git.ts";
import { beginAtTree, ignoredIn, keepGitState, layTree, restoreGitState, treeWith } from "../../git/trees.ts";
import { isOwnFolder } from "../../git/folders.ts";
import { makeClone, removeClone } from "../../git/clone/workspace.ts";
import { writeAtomically } from "../../store/durable.ts";
import { rerunMsMax, treesKeptMax } from "../../core/limits.ts";
import type { CheckResult } from "../../core/review/check-result.ts";
import { failsByAbsence } from "../../core/review/evidence.ts";
import type { Edit, Overlays, RoledFile } from "../../core/trial/overlays.ts";
import { runCommands, setUp } from "../run-checks.ts";
import { cloneSource, limitsOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { t } from "../../core/language/translate.ts";
import { named } from "../run-name.ts";
import type { RunName } from "../run-name.ts";

const keptSchema = z.object({
  exitCode: z.number(),
  missing: z.literal(true).optional(),
  flaky: z.literal(true).optional(),
  /** The end of what a failed one printed. */
  output: z.string().optional(),
});
/** How a command ended on a tree. `flaky`: red once, and green the next time. */
export type TreeRun = z.infer<typeof keptSchema>;

const fileSchema = z.record(z.string(), z.record(z.string(), keptSchema));

/** What is known of a tree in a clone that was set up as `of` says, by command. */
export function treeRuns(relay: Relay, of: { setUpAt: string; tree: string }): Map<string, TreeRun> {
  return new Map(Object.entries(readKept(relay)[keyOf(relay, of)] ?? {}));
}

/** Adds to what is known; the trees that were asked for longest ago go. */
export function keepTreeRuns(
  relay: Relay,
  of: { setUpAt: string; tree: string },
  ran: ReadonlyMap<string, TreeRun>,
): void {
  const { [keyOf(relay, of)]: before = {}, ...others } = readKept(relay);
  const all = [...Object.entries(others), [keyOf(relay, of), { ...before, ...Object.fromEntries(ran) }]];
  writeAtomically(keptFile(relay), JSON.stringify(Object.fromEntries(all.slice(-treesKeptMax))));
}

function keyOf(relay: Relay, { setUpAt, tree }: { setUpAt: string; tree: string }): string {
  const { setup } = settingsOf(relay);
  // Without a set-up it is the tree alone that decides, in whichever clone it lies.
  return hash("sha256", JSON.stringify(setup.length === 0 ? [tree] : [setUpAt, setup, tree]));
}

/** A file that a crash or a person left half written is as good as none. */
function readKept(relay: Relay): z.infer<typeof fileSchema> {
  const file = keptFile(relay);
  if (!existsSync(file)) return {};
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}

function keptFile(relay: Relay): string {
  return join(relay.places.relay, "tree-runs.json");
}

/** Most agents run their commands by bash; sh refuses some of what it takes. */
export const evidenceShell = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";

/** What a command has printed, without colours and the line that names it. */
export function outputOf(relay: Relay, { command, log }: CheckResult): string {
  const text = stripVTControlCharacters(readFileSync(join(relay.places.relay, log), "utf8"));
  const head = `$ ${command}\n`;
  return text.startsWith(head) ? text.slice(head.length) : text;
}

export type Side = "base" | "submission";

/** A clone for each side, made when it is first needed, and a clock that does not count set-ups. */
export type Bench = {
  /** The commit of each side, and the tree that its clone is set up at. */
  sides: Readonly<Record<Side, { commit: string; tree: string; folder: string; trusted: boolean }>>;
  logs: string;
  msMax: number;
  /** Of `msMax`: for the checks on the base alone, which a verdict is likely to name. */
  msForBase: number;
  msSpent: number;
  runs: number;
  ready: Set<Side>;
};

/** All that the parts of a trial share. */
export type Trying = {
  relay: Relay;
  bench: Bench;
  checks: readonly string[];
  files: readonly RoledFile[];
  overlays: Overlays;
};

/** The tree of a side with the edits. */
export function treeOn({ relay, bench }: Trying, side: Side, edits: readonly Edit[]): Promise<string> {
  const own = snapshotFolder(relay.places.trial);
  return treeWith(relay.repository, { start: bench.sides[side].commit, edits, own });
}

/** `no_setup`: the side's set-up fails. `time`: it is over, or a person stopped it. */
export type NoRun = "no_setup" | "time";

type OnTree = {
  side: Side;
  tree: string;
  command: string;
  name: RunName;
  /** A command of a Reviewer's: run as those are, the place of its clone replaced. */
  evidence?: boolean;
  /** Checks that run before it, because what they build is looked at; how they end does not matter. */
  builds?: readonly string[];
  /** So does the set-up, whose results are then that tree's: no other tree can have the clone after it. */
  setsUp?: boolean;
};

/** The command on the tree; a red one is run once more, and is `flaky` where it is green then. */
export async function runOnTree(relay: Relay, bench: Bench, of: OnTree): Promise<TreeRun | NoRun> {
  const at = { setUpAt: bench.sides[of.side].tree, tree: of.tree };
  const key = of.setsUp ? `${of.command}\n# after the set-up` : of.command;
  const known = treeRuns(relay, at).get(key);
  if (known) return known;
  if (msLeft(bench, of) <= 0) return "time";
  if (!(await makeReady(relay, bench, of.side))) return relay.control.interrupt.aborted ? "time" : "no_setup";
  const run = await runUntilSure(relay, bench, of);
  if (of.setsUp) {
    removeClone(bench.sides[of.side].folder);
    bench.ready.delete(of.side);
  }
  if (typeof run !== "string") keepTreeRuns(relay, at, new Map([[key, run]]));
  return run;
}

async function runUntilSure(relay: Relay, bench: Bench, of: OnTree): Promise<TreeRun | NoRun> {
  const first = await runOnce(relay, bench, of);
  if (typeof first === "string" || first.exitCode === 0) return first;
  const second = await runOnce(relay, bench, of);
  if (typeof second === "string") return second;
  if (second.exitCode === 0) return { exitCode: 0, flaky: true };
  return first;
}

/** What the set-up has left in a side's clone that git ignores; undefined where the clone cannot be set up. */
export async function builtBySetUp(relay: Relay, bench: Bench, side: Side): Promise<string[] | undefined> {
  if (!(await makeReady(relay, bench, side))) return undefined;
  return z.array(z.string()).parse(JSON.parse(readFileSync(builtFile(bench.sides[side].folder), "utf8")));
}

const builtFile = (folder: string): string => join(`${folder}.trees`, "built");

function msLeft({ sides, msMax, msForBase, msSpent }: Bench, { tree }: OnTree): number {
  return msMax - msSpent - (tree === sides.base.tree ? 0 : msForBase);
}

async function makeReady(relay: Relay, bench: Bench, side: Side): Promise<boolean> {
  if (bench.ready.has(side)) return true;
  const failed = await openClone(relay, { ...bench.sides[side], logs: join(bench.logs, "setup") });
  if (!failed) bench.ready.add(side);
  return !failed;
}

/** A clone that is set up at a commit, if it is not there already; the command that failed, if any. */
export async function openClone(
  relay: Relay,
  of: { commit: string; tree: string; folder: string; trusted: boolean; logs: string },
): Promise<CheckResult | undefined> {
  const { commit, tree, folder, trusted, logs } = of;
  const mark = join(`${folder}.trees`, "set-up-at");
  // From before the machine was started, it may be torn: nothing in it was synced.
  const marked = `${tree} ${bootId()}`;
  if (isOwnFolder(folder) && existsSync(mark) && readFileSync(mark, "utf8") === marked) return undefined;
  removeClone(folder);
  relay.onProgress({ type: "step", text: t`a clone of ${commit.slice(0, 8)}` });
  await makeClone(cloneSource(relay, commit), folder);
  const failed = await setUp(relay, { folder, logs, trusted });
  if (failed) return failed;
  const isSetUp = settingsOf(relay).setup.length > 0;
  if (isSetUp) await layTree(relay.repository, folder, tree);
  else beginAtTree(relay.repository, folder, tree);
  keepGitState(folder);
  const built = isSetUp ? await ignoredIn(relay.repository, folder, tree) : [];
  writeAtomically(builtFile(folder), JSON.stringify(built));
  writeAtomically(mark, marked);
  return undefined;
}

/** Makes a clone's files those of the tree, and its git what it was, whatever ran there. */
export async function restoreClone(relay: Relay, folder: string, tree: string): Promise<void> {
  restoreGitState(folder);
  await layTree(relay.repository, folder, tree);
}

/** A clone that a command has made unusable is made anew, once; false where it cannot be set up again. */
async function restoredClone(
  relay: Relay,
  bench: Bench,
  { side, tree }: Pick<OnTree, "side" | "tree">,
): Promise<boolean> {
  const { folder } = bench.sides[side];
  try {
    await restoreClone(relay, folder, tree);
    return true;
  } catch (error) {
    if (!(error instanceof MonocoError || error instanceof GitError)) throw error;
    removeClone(folder);
    bench.ready.delete(side);
    if (!(await makeReady(relay, bench, side))) return false;
    await restoreClone(relay, folder, tree);
    return true;
  }
}

async function runOnce(relay: Relay, bench: Bench, of: OnTree): Promise<TreeRun | NoRun> {
  const { side, tree, command, name, evidence = false, builds = [] } = of;
  const { folder } = bench.sides[side];
  if (!(await restoredClone(relay, bench, { side, tree }))) return "time";
  const minutesMax = evidence ? rerunMsMax / 60_000 : limitsOf(relay).checkMinutes;
  const minutes = Math.min(minutesMax, msLeft(bench, of) / 60_000);
  if (minutes <= 0) return "time";
  bench.runs += 1;
  const logs = join(bench.logs, String(bench.runs));
  const commands = [evidence ? command.replaceAll(relay.places.review, folder) : command];
  const shell = evidence ? evidenceShell : undefined;
  const run = { commands, folder, logs, name, minutes, ...(shell && { shell }) };
  const setUpLogs = join(logs, "setup");
  if (of.setsUp && (await setUp(relay, { folder, logs: setUpLogs, trusted: false }))) return "no_setup";
  if (builds.length > 0) {
    const built = await runCommands(relay, { ...run, commands: builds, name: named`building` }, false);
    bench.msSpent += built.reduce((sum, { durationMs }) => sum + durationMs, 0);
  }
  const [result] = await runCommands(relay, run, false);
  if (!result || relay.control.interrupt.aborted) return "time";
  bench.msSpent += result.durationMs;
  const output = outputOf(relay, result);
  if (result.exitCode === null) {
    // Time that is a check's own is a failure like any other.
    return minutes < minutesMax ? "time" : { exitCode: 124, output: output.slice(-outputCharsMax) };
  }
  if (result.exitCode === 0) return { exitCode: 0 };
  const missing = failsByAbsence(result.exitCode, output);
  return {
    exitCode: result.exitCode,
    ...(missing && { missing }),
    output: output.slice(-outputCharsMax),
  };
}

const outputCharsMax = 4_000;
