/** A run that is due: a command on a tree. Plans are generators of runs: they take each result back, and return what they found. */
import { alteredMsMin, alteredTimesMax, rerunMsMax } from "../limits.ts";
import type { Edit } from "./overlays.ts";

/** `review` is the Reviewer's own clone, in which the checks have built what they build; the others are clones of monoco's. */
export type Side = "base" | "submission" | "review";

/** The commit of a side, with some files otherwise. */
export type Tree = { side: Side; edits: readonly Edit[] };

/** How a command ended on a tree. `flaky`: red once, and green the next time. */
export type TreeRun = {
  exitCode: number;
  /** It failed because something that it needs does not exist. */
  missing?: true;
  flaky?: true;
  /** It was green and ran no test. */
  nothing?: true;
  /** The end of what a failed or measured one printed. */
  output?: string;
  /** Of a measured one. */
  durationMs?: number;
};

/** `no_setup`: the side's set-up fails. `time`: the time for it is over, or a person stopped it. */
export type NoRun = "no_setup" | "time";

/** Why a command runs, for the log. */
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
  /** The place that is taken back. */
  place?: string;
  /** A command of a Reviewer's, which has a shorter time than a check. */
  evidence?: true;
  /** Red on a tree that nobody submitted: it runs once more, and is `flaky` where it is green then. */
  sure?: true;
  /** Runs whether or not the time of the trial is over. */
  always?: true;
  /** The set-up runs first, on this very tree. */
  setsUp?: true;
};

export type Ended = TreeRun | NoRun;
export type Runs<T> = Generator<Due, T, Ended>;

export const isRun = (ended: Ended): ended is TreeRun => typeof ended !== "string";

/**
 * How long a run may take. A check that hangs on a tree that nobody wrote, as it does where a loop lost its end, is not waited
 * for as long as on one that somebody did. `firstMs`: what each check took on the submission.
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
