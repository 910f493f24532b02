/**
 * When a person's verdict can be taken: on the submission under review, once it is checked, while no session is at work and
 * none has gone on with the work. It stands over a Reviewer's.
 */
import type { Step } from "../error/hint-schema.ts";
import { currentSubmission, runningSession } from "./phase.ts";
import type { Opening, SubmissionRecord } from "../journal/relay-state.ts";
import { t } from "../language/translate.ts";

const settled: Record<NonNullable<SubmissionRecord["outcome"]>, (submission: number) => string> = {
  merged: (submission) => t`submission ${submission} is merged`,
  conflicted: (submission) => t`submission ${submission} is conflicted`,
  rejected: (submission) => t`submission ${submission} is rejected`,
  kept: (submission) => t`submission ${submission} is kept`,
};

/** Why it cannot be taken now, in words; undefined where it can. */
export function whyNoVerdict(opening: Opening, submission: number): string | undefined {
  const current = currentSubmission(opening);
  if (!current || current.submission !== submission)
    return t`submission ${submission} is not the one under review`;
  if (current.outcome) return settled[current.outcome](submission);
  if (!current.checks) return t`submission ${submission} is not checked yet`;
  const running = runningSession(opening);
  if (running) return t`session ${running.session} is at work: what comes meanwhile may be its own`;
  if (current.given) {
    return t`the verdict of session ${current.given.session} on submission ${submission} is being weighed: what comes meanwhile may be of what is run for it`;
  }
  const since = opening.sessions.find(
    ({ role, session }) => role === "executor" && session > current.sessionsThen,
  );
  return (
    since &&
    t`session ${since.session} has worked on since submission ${submission}: the next submission is the one to review`
  );
}

/** Why no person can approve it, in words; undefined where one can. */
export function whyNotApproved({ submission, checks }: SubmissionRecord): string | undefined {
  if (checks?.ok !== false) return undefined;
  const red = checks.results.filter(({ exitCode }) => exitCode !== 0).map(({ command }) => command);
  return t`submission ${submission} cannot be approved over a failed check: ${red.join(", ")}`;
}

/** The step of a person who decides, with the verdicts that would be taken now; undefined where none would be. */
export function judging(opening: Opening): Extract<Step, { do: "judge" }> | undefined {
  const current = currentSubmission(opening);
  if (!current || whyNoVerdict(opening, current.submission) !== undefined) return undefined;
  const approve = whyNotApproved(current) === undefined ? (["approve"] as const) : [];
  return { do: "judge", verdicts: [...approve, "request_changes"] };
}
