/** Tries a submission out while its Reviewer works, and settles the results after the verdict. */
import { join } from "node:path";
import { kindOf } from "../../core/issue/criterion-kind.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { readDiff } from "../../core/text/diff.ts";
import { deciding } from "../../core/text/glob.ts";
import { namesAssertions } from "../../core/trial/excused.ts";
import type { Runs } from "../../core/trial/due.ts";
import { again, crossing, takingBack, testsOnBase } from "../../core/trial/try-out.ts";
import type { TrialInput } from "../../core/trial/try-out.ts";
import type { Crossed, Trial } from "../../core/trial/trial-schema.ts";
import type { Weakening } from "../../core/weakening/schema.ts";
import { t } from "../../core/language/translate.ts";
import { unconfirmed } from "../../core/relay/phase.ts";
import { submissionOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { contractNow, criteriaNow } from "../contract.ts";
import { gatherTrial, runnerFor } from "./gather.ts";
import type { Gathered } from "./gather.ts";
import { diffOf } from "./inspect.ts";
import type { Runner } from "./trees.ts";

/** The folder of a trial's logs. */
export const trialLogs = (relay: Relay, submission: number): string =>
  join(relay.places.submission(submission), "trial");

/**
 * Runs the whole trial of a submission while its Reviewer works; results are kept by tree and read when the verdict is weighed.
 * `end` waits for what is running, unless no approval needs it.
 */
export function besideReviewer(relay: Relay, submission: number): { end(): Promise<void> } {
  const record = submissionOf(relay, submission);
  if (unconfirmed(record)) return { end: () => Promise.resolve() };
  const [stop, enough] = [new AbortController(), new AbortController()];
  const signals = { stop: stop.signal, enough: enough.signal };
  const done = tryAll(relay, record, signals).catch((error: unknown) => {
    // Weighing the verdict runs the same commands, and fails if they fail.
    relay.onProgress({ type: "warning", text: t`beside the Reviewer: ${String(error)}` });
  });
  return {
    end: async () => {
      enough.abort();
      if (submissionOf(relay, submission).given?.verdict !== "approve") stop.abort();
      await done;
    },
  };
}

async function tryAll(
  relay: Relay,
  record: SubmissionRecord,
  signals: { stop: AbortSignal; enough: AbortSignal },
): Promise<void> {
  const input = await gatherTrial(relay, record);
  const logs = join(trialLogs(relay, record.submission), "beside");
  const runner = await runnerFor(relay, record, { logs, nice: true, ...signals });
  function* onSubmission(): Runs<unknown> {
    yield* crossing(input);
    yield* again(input);
    return yield* takingBack(input);
  }
  await Promise.all([runner.drive(testsOnBase(input)), runner.drive(onSubmission())]);
}

/**
 * Runs the rest of the trial and returns all results. With `guards`, a criterion counts only if the changed lines are guarded.
 * Without it, changes are taken back only until one is guarded, and not at all if the new tests fail on the base for more than
 * want of a name.
 */
export async function settleTrial(
  relay: Relay,
  of: { runner: Runner; keptRunner: Runner; input: Gathered; guards: boolean },
): Promise<Trial> {
  const { runner, keptRunner, input, guards } = of;
  const [onBase, cross, flaky] = await Promise.all([
    runner.drive(testsOnBase(input)),
    runner.drive(crossing(input)),
    runner.drive(again(input)),
  ]);
  const isNeeded = guards || onBase.result !== "fail" || onBase.lacks === true;
  const asked = isNeeded ? await runner.drive(takingBack(input, guards ? undefined : "guarded")) : undefined;
  const known = await keptRunner.drive(takingBack(input));
  const takeBack =
    asked && asked.changes.length >= known.changes.length
      ? asked
      : { ...known, result: asked?.result ?? (known.result === "time" ? "not_needed" : known.result) };
  const trial: Trial = {
    onBase,
    crossing: { ...cross, found: await excused(relay, cross.found, input) },
    takeBack,
    ...(flaky.length > 0 && { flaky }),
    ms: runner.ms(),
  };
  return isUnguarded(trial, input, criteriaNow(relay)) ? { ...trial, unguarded: true } : trial;
}

/**
 * Whether sources are changed, no new test fails on the base, and no check guards any change. New tests that fail there only for
 * want of a name count unless every change has been taken back.
 */
function isUnguarded({ onBase, takeBack }: Trial, input: TrialInput, criteria: readonly string[]): boolean {
  // Deleted sources have no line to guard.
  if (!input.files.some(({ role, after }) => role === "source" && after)) return false;
  const isWhole = takeBack.result === "tried" && takeBack.left === 0 && takeBack.changes.length > 0;
  if (onBase.result === "fail" && !(onBase.lacks && isWhole)) return false;
  if (!input.review.testsOnBase && !input.review.takeBack) return false;
  if (takeBack.changes.some(({ result }) => result === "guarded")) return false;
  const written = criteria.map(kindOf);
  return !written.every(({ kind, guessed }) => !guessed && (kind === "document" || kind === "as_before"));
}

/** Marks broken tests that the contract allows to change, or whose new values a criterion names. */
async function excused(relay: Relay, all: readonly Crossed[], { start, head }: Gathered): Promise<Crossed[]> {
  if (all.length === 0) return [];
  const decidedBy = deciding(contractNow(relay).issue.allows ?? []);
  const isAllowed = (path: string): boolean => !(decidedBy(path) ?? "!").startsWith("!");
  const { diff } = await diffOf(relay, start, head);
  const diffs = readDiff(diff);
  return all.map((one) => {
    if (one.files.every(isAllowed)) return { ...one, excused: "allowed" };
    const own = diffs.filter(({ path }) => one.files.includes(path));
    const isNamed = one.crossed === "base_tests" && own.length === one.files.length;
    return isNamed && namesAssertions(criteriaNow(relay), own) ? { ...one, excused: "criterion" } : one;
  });
}

/** The results of a trial that need an answer or a person. They come after the diff's places, so that ids stay the same. */
export function placesOf(
  { crossing: { found: crossed }, flaky = [], unguarded }: Trial,
  { files }: Pick<TrialInput, "files">,
): Weakening[] {
  const sources = files.flatMap(({ path, role, after }) => (role === "source" && after ? [path] : []));
  return [
    ...crossed.map(({ files, command, result }): Weakening => {
      const kind = {
        weakened: "crossed",
        interface: "interface",
        uncertain: "used by checks",
        flaky: "flaky",
      } as const;
      return { file: files.join(", "), kind: kind[result], text: command.slice(0, 160) };
    }),
    ...flaky.map((command): Weakening => ({ file: command, kind: "flaky", text: "" })),
    ...(unguarded
      ? [{ file: sources.slice(0, 3).join(", "), kind: "unguarded", text: "" } satisfies Weakening]
      : []),
  ];
}
