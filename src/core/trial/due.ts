/** A run that is due: a command on a tree. Plans are generators of runs: they receive each result, and return their findings. */
import { alteredMsMin, alteredTimesMax, rerunMsMax } from "../limits.ts";
import type { Edit } from "./overlays.ts";

/** `review` is the Reviewer's own clone, with the build results of the checks; the others are monoco's clones. */
export type Side = "base" | "submission" | "review";

/** The commit of a side with some edited files. */
export type Tree = { side: Side; edits: readonly Edit[] };

/** The result of a command on a tree. `flaky`: red once, and green the next time. */
export type TreeRun = {
  exitCode: number;
  /** The command failed because something that it needs does not exist. */
  missing?: true;
  flaky?: true;
  /** The command was green, but ran no test. */
  nothing?: true;
  /** The end of the output, of a failed or measured command. */
  output?: string;
  /** The duration of a measured command. */
  durationMs?: number;
};

/** `no_setup`: the side's set-up fails. `time`: the trial's time is over, or a person stopped it. */
export type NoRun = "no_setup" | "time";

/** The purpose of a run, for the log. */
export type Why =
  | "again"
  | "new_tests"
  | "on_base"
  | "selected"
  | "crossed"
  | "without"
  | "evidence"
  | "words"
  | "names"
  | "data"
  | "comment"
  | "elsewhere"
  | "measured";

export type Due = {
  command: string;
  on: Tree;
  why: Why;
  /** The change that is taken back. */
  place?: string;
  /** A Reviewer's command, which has less time than a check. */
  evidence?: true;
  /** A red result on a tree that nobody submitted is repeated, and is `flaky` if it is green then. */
  sure?: true;
  /** Whether the output of a red command shows that it fails every time, so that it is not repeated. */
  isSettled?: (output: string) => boolean;
  /** The command runs even after the trial's time is over. */
  always?: true;
  /** The set-up runs first, on this tree. */
  setsUp?: true;
};

export type Ended = TreeRun | NoRun;
export type Runs<T> = Generator<Due, T, Ended>;

export const isRun = (ended: Ended): ended is TreeRun => typeof ended !== "string";

/**
 * The time limit of a run. A check that hangs on an altered tree, where a loop may have lost its end, gets less time than one
 * on a tree that somebody wrote. `firstMs`: the duration of each check on the submission.
 */
export function minutesFor(
  { command, evidence, on }: Due,
  { firstMs, checkMinutes }: { firstMs: ReadonlyMap<string, number>; checkMinutes: number },
): number {
  if (evidence) return rerunMsMax / 60_000;
  const first = on.edits.length > 0 ? firstMs.get(command) : undefined;
  if (first === undefined) return checkMinutes;
  return Math.min(checkMinutes, Math.max(alteredMsMin, alteredTimesMax * first) / 60_000);
}
