/** Where a relay stands: its phase in one word, and what is running, up for review, or due. */
import type { RelayState, SessionRecord, SubmissionRecord } from "../journal/relay-state.ts";

export type Phase =
  | "none"
  | "ready"
  | "executing"
  | "handing_over"
  | "submitted"
  | "reviewing"
  | "approved"
  | "merging"
  | "done"
  | "blocked"
  | "paused"
  | "cancelled";

/** What the relay is doing or waiting for, in one word. */
export function phaseOf(state: RelayState): Phase {
  if (!state.opened) return "none";
  // Merged stays merged: only its clones were cleared away.
  if (state.merged) return "done";
  if (state.cleared) return "none";
  if (isOver(state)) return "done";
  if (state.halted) return state.halted.phase;
  if (state.merge) return "merging";
  const running = runningSession(state);
  if (running) return running.role === "executor" ? "executing" : "reviewing";
  if (submissionDue(state)) return "submitted";
  if (handoffDue(state)) return "handing_over";
  const submission = currentSubmission(state);
  if (submission && !submission.outcome) {
    if (!submission.checks) return "submitted";
    if (!submission.review) return "reviewing";
    if (isApproved(submission)) return "approved";
  }
  return "ready";
}

/** The question that nobody has answered, in the words that a relay is blocked with. */
export function questionWords({ question }: RelayState): string | undefined {
  return question && `session ${question.session} asks: ${question.text}`;
}

/** Merged, or left on its branch: nothing is to be done any more. */
export function isOver(state: RelayState): boolean {
  return state.merged !== undefined || state.finished !== undefined;
}

/** A loop without a review: green checks are all that it needs, and the base is never moved. */
export function keepsBranch(state: RelayState): boolean {
  return state.opened?.loop?.review === false;
}

/** The session that has started and not ended, if any. */
export function runningSession(state: RelayState): SessionRecord | undefined {
  const last = state.sessions.at(-1);
  return last && !last.ended ? last : undefined;
}

/** The submission that is still to be settled, or the last one of this opening. */
export function currentSubmission(state: RelayState): SubmissionRecord | undefined {
  const last = state.submissions.at(-1);
  return last && last.submission > state.submissionsBefore ? last : undefined;
}

/** Approved, and not over red checks: the relay overrules such a verdict when it records it; the core does not rely on that. */
export function isApproved(submission: SubmissionRecord): boolean {
  return submission.review?.verdict === "approve" && submission.checks?.ok === true;
}

/** The Executor session that ended by a submit which is not yet taken up. */
export function submissionDue(state: RelayState): SessionRecord | undefined {
  const last = state.sessions.at(-1);
  if (!last?.ended || last.session <= state.sessionsBefore || last.submissionSettled) return undefined;
  return last.role === "executor" && last.ended.reason === "submitted" ? last : undefined;
}

/** The Executor session that ended by itself, looks finished, and is not yet put up for review on its behalf. */
export function finishedUnsubmitted(state: RelayState): SessionRecord | undefined {
  const last = state.sessions.findLast((session) => session.role === "executor");
  if (!last?.scored?.finished || last.session <= state.sessionsBefore || last.submissionSettled)
    return undefined;
  if (last.ended?.reason !== "completed_without_submit" || state.settings?.exit.submit === false)
    return undefined;
  // A person's submission came in between.
  return (currentSubmission(state)?.sessionsThen ?? 0) >= last.session ? undefined : last;
}

/**
 * The ended Executor session whose handoff is not yet recorded. One that submitted needs none while its submission is
 * being looked at: only when another Executor has to follow.
 */
export function handoffDue(state: RelayState): SessionRecord | undefined {
  const last = state.sessions.findLast((session) => session.role === "executor");
  if (!last?.ended || last.session <= state.sessionsBefore || last.handoff) return undefined;
  if (last.ended.reason !== "submitted") return last;
  const current = currentSubmission(state);
  const pending = current && !current.outcome && (!current.review || isApproved(current));
  return pending || !last.submissionSettled ? undefined : last;
}
