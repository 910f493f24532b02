/** The phase of a relay, and its current session, submission and pending steps. */
import type { Opening, RelayState, SessionRecord, SubmissionRecord } from "../journal/relay-state.ts";

export type Phase =
  | "none"
  | "ready"
  | "executing"
  | "handing_over"
  | "submitted"
  | "reviewing"
  | "approved"
  | "merging"
  | "pull_request"
  | "done"
  | "blocked"
  | "paused"
  | "cancelled";

/** The phase: the relay's activity or wait in one word. */
export function phaseOf({ opening }: RelayState): Phase {
  if (!opening) return "none";
  // A merged relay stays done: only its clones were cleared away.
  if (opening.merged) return "done";
  if (opening.cleared) return "none";
  if (isOver(opening)) return "done";
  if (opening.halted) return opening.halted.phase;
  if (opening.finished) return "pull_request";
  if (opening.merge) return "merging";
  const running = runningSession(opening);
  if (running) return running.role === "executor" ? "executing" : "reviewing";
  if (submissionDue(opening)) return "submitted";
  if (handoffDue(opening)) return "handing_over";
  const submission = currentSubmission(opening);
  if (submission && !submission.outcome) {
    if (!submission.checks) return "submitted";
    if (!submission.review) return "reviewing";
    if (isApproved(submission)) return "approved";
  }
  return "ready";
}

/** Whether the relay is open: at work, waiting, or resting for a person. */
export function isOpen(state: RelayState): boolean {
  return !["none", "done", "cancelled"].includes(phaseOf(state));
}

/** Whether the relay is over: merged, or left on its branch without a pull request. */
export function isOver(opening: Opening | undefined): boolean {
  const { merged, finished } = opening ?? {};
  return merged !== undefined || (finished !== undefined && finished.pullRequest === undefined);
}

/** Whether the baseline stopped the relay before its first session: it has nothing to resume. */
export function isUnbegun({ halted, sessions, handedOver }: Opening): boolean {
  const isStopped = halted?.phase === "blocked" && halted.reason.rule === "baseline";
  return isStopped && sessions.length === 0 && handedOver === undefined;
}

/** Whether its own failures keep a relay from starting a session; no limit of an account or of a budget does. */
export function isHeldBack({ breaker, sinceResume: { wait } }: Opening, nowMs: number): boolean {
  return breaker?.to === "open" || (wait.reason.rule === "back_off" && nowMs < wait.untilMs);
}

/** The commit to look for on the base, of work that was not merged here; undefined if there is none. */
export function commitElsewhere(opening: Opening | undefined): string | undefined {
  const { merged, finished } = opening ?? {};
  if (merged) return merged.pullRequest === undefined ? undefined : merged.commit;
  return finished?.commit;
}

/** Whether work stays on its branch: a loop without a review needs only green checks, and never moves the base. */
export function keepsBranch({ loop }: Opening): boolean {
  return loop?.review === false;
}

/** The session that has started and not ended, if any. */
export function runningSession({ sessions }: Pick<RelayState, "sessions">): SessionRecord | undefined {
  const last = sessions.at(-1);
  return last && !last.ended ? last : undefined;
}

/** The open submission, or else the last one of this opening. */
export function currentSubmission({ submissions }: Opening): SubmissionRecord | undefined {
  return submissions.at(-1);
}

/** Whether a submission is approved and its checks passed. The relay never records an approval over failed checks; this checks it again. */
export function isApproved(submission: SubmissionRecord): boolean {
  return submission.review?.verdict === "approve" && submission.checks?.ok === true;
}

/** The reason why the approval in force needs confirmation, with the merge that it concerns. */
export function unconfirmed({
  review,
  questioned,
  confirmations,
}: SubmissionRecord): SubmissionRecord["questioned"] {
  const confirmed = confirmations.some(({ onto }) => onto === questioned?.baseCommit);
  return review?.verdict === "approve" && !confirmed ? questioned : undefined;
}

/** The submission as the Reviewer sees it: as submitted, or merged with the base. */
export function underReview(record: SubmissionRecord): SubmissionRecord {
  const questioned = unconfirmed(record);
  if (!questioned) return record;
  const { inspection: _answered, checks: _before, mergeChecks, ...kept } = record;
  const { commit: head, tree } = questioned;
  return { ...kept, head, tree, tampered: [], ...(mergeChecks && { checks: mergeChecks }) };
}

/** The Executor session that ended with a submit which is not yet taken up. */
export function submissionDue({ sessions }: Opening): SessionRecord | undefined {
  const last = sessions.at(-1);
  if (last?.role !== "executor" || last.submissionSettled) return undefined;
  return last.ended?.reason === "submitted" ? last : undefined;
}

/** The Executor session that ended by itself, looks finished, and is not yet submitted on its behalf. */
export function finishedUnsubmitted(opening: Opening): SessionRecord | undefined {
  const last = opening.sessions.findLast((session) => session.role === "executor");
  if (!last?.scored?.finished || last.submissionSettled) return undefined;
  if (last.ended?.reason !== "completed_without_submit" || !opening.settings.exit.submit) return undefined;
  // A person submitted after the session.
  return (currentSubmission(opening)?.sessionsThen ?? 0) >= last.session ? undefined : last;
}

/**
 * The ended Executor session whose handoff is not yet recorded. A session that submitted needs a handoff only
 * once another Executor has to follow.
 */
export function handoffDue(opening: Opening): SessionRecord | undefined {
  const last = opening.sessions.findLast((session) => session.role === "executor");
  if (!last?.ended || last.handoff) return undefined;
  if (last.ended.reason !== "submitted") return last;
  const current = currentSubmission(opening);
  const pending = current && !current.outcome && (!current.review || isApproved(current));
  return pending || !last.submissionSettled ? undefined : last;
}

/** Whether a submission of the issue was merged, in any of its openings. */
export function isMerged({ submissions }: Pick<RelayState, "submissions">): boolean {
  return submissions.some(({ outcome }) => outcome === "merged");
}
