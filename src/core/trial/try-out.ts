/** Puts the tests of a submission to the test: on the base, crossed with the base's, and with changes to the sources taken back. */
import { checksOf, emptiedChange, without } from "./changes.ts";
import type { Change, Plan } from "./changes.ts";
import { isRun } from "./due.ts";
import type { NoRun, Runs, Tree, TreeRun } from "./due.ts";
import { namesBetween } from "./names-between.ts";
import { lacksOnly } from "./output.ts";
import { filesTold } from "./overlays.ts";
import type { Edit, Overlays, RoledFile } from "./overlays.ts";
import { withFiles } from "../text/shell.ts";
import type { Crossed, NotTried, TakenBack, Trial } from "./trial-schema.ts";

/**
 * Edits that restore the base's version of files that only checks use. `unsure`: the files may have changed together with sources, so
 * a failed check proves nothing; it also ends the search, because the aids after it contain the same files.
 */
export type Aid = { edits: readonly Edit[]; unsure?: true };

/** The input of a trial's plan. */
export type TrialInput = {
  checks: readonly string[];
  /** By check, its command for single test files. */
  selects: ReadonlyMap<string, string>;
  files: readonly RoledFile[];
  /** Checks that were red on an earlier submission with the same sources and tests, and the edits that make its tree. */
  redBefore: readonly { command: string; edits: readonly Edit[] }[];
  overlays: Overlays;
  aids: readonly Aid[];
  plan: Plan;
  /** The `review` settings. */
  review: Record<"testsOnBase" | "crossing" | "takeBack" | "checkTwice", boolean> & { takeBackMax: number };
};

const filesMax = 20;
const base = (edits: readonly Edit[] = []): Tree => ({ side: "base", edits });
const submission = (edits: readonly Edit[] = []): Tree => ({ side: "submission", edits });

const testPaths = ({ files }: TrialInput, side: "before" | "after"): string[] =>
  files.flatMap((file) => (file.role === "test" && file[side] ? [file.path] : []));

const roleOf = ({ files }: TrialInput, path: string): RoledFile["role"] | undefined =>
  files.find((file) => file.path === path)?.role;

/** Length above which a command with its paths is not used. The kernel allows 128 kB for one argument. */
const selectedCharsMax = 8_000;

/** A check for these test files only, if monoco.yaml defines that, and if it is green on the submission and runs any test. */
function* selected(
  { selects }: TrialInput,
  check: string,
  tests: readonly string[],
): Runs<string | undefined> {
  const select = selects.get(check);
  if (select === undefined || tests.length === 0) return undefined;
  const command = withFiles(select, tests);
  if (command.length > selectedCharsMax) return undefined;
  const ran = yield { command, on: submission(), why: "selected" };
  return isRun(ran) && ran.exitCode === 0 && !ran.nothing ? command : undefined;
}

const changesSources = ({ files }: Pick<TrialInput, "files">): boolean =>
  files.some(({ role }) => role === "source");

/**
 * The green checks that end differently when they run again, if tests changed or `checkTwice` is set; or that were red on the
 * same sources and tests before, and are green there now.
 */
export function* again({ checks, files, redBefore, review }: TrialInput): Runs<string[]> {
  const flaky = new Set<string>();
  for (const { command, edits } of redBefore) {
    const ran = edits.length === 0 ? { exitCode: 0 } : yield { command, on: submission(edits), why: "again" };
    if (isRun(ran) && ran.exitCode === 0) flaky.add(command);
  }
  if (!review.checkTwice && files.every(({ role }) => role !== "test")) return [...flaky];
  for (const command of checks) {
    const ran = yield { command, on: submission(), why: "again" };
    if (isRun(ran) && ran.exitCode !== 0) flaky.add(command);
  }
  return [...flaky];
}

/** Runs new and changed tests on the base: at least one has to fail there, or they show nothing of the change. */
export function* testsOnBase(input: TrialInput): Runs<Trial["onBase"]> {
  const { overlays, checks, review } = input;
  const tests = testPaths(input, "after");
  const result = (what: Trial["onBase"]["result"], more?: { by: string; lacks?: true }): Trial["onBase"] => ({
    result: what,
    files: tests.slice(0, filesMax),
    ...more,
  });
  if (!changesSources(input)) return result("nothing");
  if (!review.testsOnBase) return result("off");
  if (tests.length === 0) return result("none");
  if (checks.length === 0) return result("no_checks");
  // Changed check configuration may be what runs the tests: then it has to be green by itself.
  const tries = [{ over: overlays.tests, alone: base(), runs: tests }];
  if (overlays.config.length > 0)
    tries.push({ over: [...overlays.tests, ...overlays.config], alone: base(overlays.config), runs: [] });
  const lacksNew = (output: string): boolean => lacksOnly(output, namesBetween(input).added);
  let unclear = false;
  for (const { over, alone, runs } of tries) {
    for (const command of checks) {
      const narrow = yield* selected(input, command, runs);
      const ran = yield {
        command: narrow ?? command,
        on: base(over),
        why: "new_tests",
        sure: true,
        isSettled: lacksNew,
        always: true,
      };
      if (!isRun(ran)) return result(ran);
      unclear ||= ran.flaky ?? false;
      if (ran.exitCode === 0) continue;
      const before = yield { command, on: alone, why: "on_base", sure: true, always: true };
      if (!isRun(before)) return result(before);
      const lacks = lacksNew(ran.output ?? "");
      if (before.exitCode === 0 && !before.flaky)
        return result("fail", { by: command, ...(lacks && { lacks }) });
      unclear = true;
    }
  }
  return result(unclear ? "unclear" : "pass");
}

/** Runs the base's tests, with what only checks use, and its configuration on the submission; a red check counts if it is green on the base. */
export function* crossing(input: TrialInput): Runs<Trial["crossing"]> {
  const { overlays, aids, checks, review } = input;
  const result = (what: "tried" | NotTried, all: Crossed[] = []): Trial["crossing"] => ({
    result: what,
    found: all,
  });
  if (overlays.baseTests.length + aids.length === 0) return result("nothing");
  if (checks.length === 0) return result("no_checks");
  if (!review.crossing) return result("off");
  const crossings: Crossed[] = [];
  const trees = new Set<string>();
  for (const [name, edits, aid] of [
    ["base_tests", overlays.baseTests],
    ["base_config", overlays.baseConfig],
    ...aids.map((one) => ["base_tests", [...one.edits, ...overlays.base], one] as const),
  ] as const) {
    if (aid && crossings.some((one) => one.result === "weakened")) break;
    const tree = JSON.stringify(edits);
    if (edits.length === 0 || trees.has(tree)) continue;
    trees.add(tree);
    const tests = testPaths(input, "before");
    const onlyTests = edits.every(({ path }) => roleOf(input, path) === "test");
    for (const command of checks) {
      const narrow = onlyTests ? yield* selected(input, command, tests) : undefined;
      const one = yield* crossedWith(input, { crossed: name, edits, command: narrow ?? command });
      if (typeof one === "string") return result(one, crossings);
      if (one && aid?.unsure) return result("tried", [...crossings, ...uncertain(one)]);
      if (one) crossings.push(one);
    }
  }
  return result("tried", crossings);
}

/** A missing name is what such files have in common with a source, and shows nothing. */
const uncertain = (one: Crossed): Crossed[] =>
  one.result === "weakened" ? [{ ...one, result: "uncertain" }] : [];

function* crossedWith(
  input: TrialInput,
  { crossed, edits, command }: Pick<Crossed, "crossed" | "command"> & { edits: readonly Edit[] },
): Runs<Crossed | NoRun | undefined> {
  const ran = yield { command, on: submission(edits), why: "crossed", sure: true };
  if (!isRun(ran)) return ran;
  if (ran.exitCode === 0 && !ran.flaky) return undefined;
  const before = yield { command, on: base(), why: "on_base", sure: true, always: true };
  if (!isRun(before)) return before;
  // A failure that the base shares is not the submission's.
  if (before.exitCode !== 0) return undefined;
  const paths = edits.map(({ path }) => path);
  const files = filesTold(paths, ran.output ?? "");
  const isFlaky = ran.flaky || before.flaky;
  return { crossed, command, result: isFlaky ? "flaky" : meaningOf(input, ran), files };
}

/** The meaning of a red check. A test that only fails to load a removed name is about another interface; any other failure is a stricter test. */
function meaningOf(input: TrialInput, { output = "" }: TreeRun): "interface" | "weakened" {
  return lacksOnly(output, namesBetween(input).gone) ? "interface" : "weakened";
}

/**
 * Takes back changes to the sources one at a time, and runs the checks whose folder contains them. `until` stops as soon as
 * it is known whether any change is guarded.
 */
export function* takingBack(input: TrialInput, until?: "guarded"): Runs<Trial["takeBack"]> {
  const { checks, files, plan, review } = input;
  const result = (what: "tried" | NotTried, changes: TakenBack[] = []): Trial["takeBack"] => ({
    result: what,
    changes,
    left: plan.changes.length - changes.length,
  });
  if (files.every(({ role, after }) => role !== "source" || !after)) return result("nothing");
  if (checks.length === 0) return result("no_checks");
  if (!review.takeBack) return result("off");
  if (plan.changes.length === 0) return result("nothing");
  const tried: TakenBack[] = [];
  const narrow = new Map<string, string>();
  for (const check of checks) {
    const command = yield* selected(input, check, testPaths(input, "after"));
    if (command !== undefined) narrow.set(check, command);
  }
  for (const change of plan.changes.slice(0, review.takeBackMax)) {
    const one = yield* takenBack(input, change, narrow);
    if (typeof one === "string") return result(one, tried);
    tried.push(one);
    if (until === "guarded" && one.result === "guarded") break;
  }
  return result("tried", tried);
}

/** `narrow`: the checks for the submission's own tests; a whole check runs only on changes that these do not guard. */
function* takenBack(
  { checks, plan }: TrialInput,
  change: Change,
  narrow: ReadonlyMap<string, string>,
): Runs<TakenBack | NoRun> {
  const { file, line, lines } = change;
  const on = submission(editsOf(plan, file, [change]));
  const due = checksOf(checks, file);
  const first = due.flatMap((by) => (narrow.has(by) ? [{ by, command: narrow.get(by)! }] : []));
  for (const { by, command } of [...first, ...due.map((check) => ({ by: check, command: check }))]) {
    const ran = yield { command, on, why: "without", place: `${file}:${line}` };
    if (!isRun(ran)) return ran;
    if (ran.exitCode !== 0) return { file, line, lines, result: "guarded", by };
  }
  return { file, line, lines, result: "unguarded" };
}

/**
 * Whether the base's tests or the evidence reach the changed lines: a refactoring can be taken back without
 * turning anything red, but any test that runs it fails once its body is empty.
 */
export function* reached(
  { checks, plan, review }: TrialInput,
  unguarded: readonly TakenBack[],
): Runs<TakenBack[]> {
  const linesReached: TakenBack[] = [];
  for (const { file, line } of unguarded.slice(0, review.takeBackMax)) {
    const change = plan.changes.find((one) => one.file === file && one.line === line);
    if (!change) continue;
    const emptied = emptiedChange(plan, change);
    if (emptied.length === 0) continue;
    const on = submission(editsOf(plan, file, emptied));
    for (const command of checksOf(checks, file)) {
      const ran = yield { command, on, why: "without", place: `${file}:${line}` };
      if (!isRun(ran)) return linesReached;
      if (ran.exitCode === 0) continue;
      linesReached.push({ file, line, lines: change.lines, result: "reached", by: command });
      break;
    }
  }
  return linesReached;
}

/** Finds changes that no check guards, but a command of the evidence does. */
export function* guardedByEvidence(
  { plan, review, checks }: TrialInput,
  of: {
    takeBack: Trial["takeBack"];
    commands: readonly { command: string; exitCode: number }[];
    added: readonly Edit[];
  },
): Runs<TakenBack[]> {
  const { takeBack, added } = of;
  const commands = of.commands.filter(({ command }) => !checks.includes(command));
  const guarded = new Set(
    takeBack.changes.filter(({ result }) => result === "guarded").map(({ file, line }) => `${file}:${line}`),
  );
  const changes: TakenBack[] = [];
  for (const change of commands.length > 0 ? plan.changes.slice(0, review.takeBackMax) : []) {
    const { file, line, lines } = change;
    const place = `${file}:${line}`;
    if (guarded.has(place)) continue;
    let result: TakenBack = { file, line, lines, result: "unguarded" };
    for (const { command, exitCode } of commands) {
      const on = submission([...added, ...editsOf(plan, file, [change])]);
      const ran = yield { command, on, why: "without", place, evidence: true };
      if (!isRun(ran)) result = { file, line, lines, result: "unseen" };
      else if (ran.exitCode !== exitCode) {
        result = { file, line, lines, result: "guarded", by: command };
        break;
      }
    }
    changes.push(result);
  }
  return changes;
}

function editsOf({ sources }: Plan, path: string, changes: readonly Change[]): Edit[] {
  const source = sources.get(path)!;
  return [{ path, to: { mode: source.mode, text: without(source, changes) } }];
}
