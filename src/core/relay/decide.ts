/** The relay's only policy: all events so far in, the next step out. */
import type { Step } from "../error/hint-schema.ts";
import { refusalsInForce, verdictsMissing } from "../journal/counts.ts";
import type { Opening, RelayState, SubmissionRecord } from "../journal/relay-state.ts";
import { byHand, resume } from "../journal/steps.ts";
import { t } from "../language/translate.ts";
import { mergeRoundsMax, noVerdictMax, verdictRefusalsMax } from "../limits.ts";
import { leftRest, mergedRest } from "../pulls/rest.ts";
import type { StartReason } from "../reason/start-schema.ts";
import { isRed } from "../review/red.ts";
import type { Limits } from "../settings/limits-schema.ts";
import type { Action, Around, Now } from "./action.ts";
import { block, triesLeft, judged } from "./block.ts";
import { stillNeeded, unclearCriteria } from "./gate.ts";
import { waiting, start } from "./next-session.ts";
import { outOfLimits, throughBreaker } from "./out-of-limits.ts";
import {
  currentSubmission,
  finishedUnsubmitted,
  handoffDue,
  isApproved,
  keepsBranch,
  runningSession,
  submissionDue,
  unconfirmed,
} from "./phase.ts";
import { playersListed } from "./players.ts";

/**
 * Time is an argument and effects are data. The first rule that applies wins: unfinished steps come
 * first, then a person's message, then the submission, then limits, then the next session.
 */
export function decide(history: RelayState, limits: Limits, nowMs: number, around: Around = {}): Action {
  const state = history.opening;
  if (!state) return notOpen;
  const { players = playersListed(state), elsewhere = [], run, jitter = 0 } = around;
  const now = { history, nowMs, players, elsewhere, run, jitter, limits };
  return (
    atRest(state, around) ??
    halfDone(state) ??
    halted(state) ??
    preparedMerge(state) ??
    onSubmission(state, now) ??
    onItsBehalf(state) ??
    outOfLimits(state, limits) ??
    throughBreaker(state, now) ??
    waiting(state, now) ??
    start(state, now, { role: "executor", reason: whyExecutor(state) })
  );
}

function atRest(state: Opening, { takenOver = false }: Around): Action | undefined {
  const { merged, finished } = state;
  if (merged) return { do: "rest", ...mergedRest({ ...state, merged }, takenOver) };
  if (state.cleared) return notOpen;
  if (!finished) return undefined;
  const left = leftRest({ ...state, finished }, takenOver);
  return (left.phase === "pull_request" ? halted(state) : undefined) ?? { do: "rest", ...left };
}

const notOpen: Action = {
  do: "rest",
  phase: "none",
  reason: { rule: "no_relay" },
  hint: [[{ do: "open" }]],
};

function halfDone(state: Opening): Action | undefined {
  const running = runningSession(state);
  if (running) {
    const { session } = running;
    return { do: "recover", session, reason: { rule: "session_open", session } };
  }
  const submit = submissionDue(state);
  // A blocked relay does not take up the submit: a person has to remove the obstacle first.
  if (submit && state.halted?.phase !== "blocked") {
    const { session } = submit;
    return { do: "accept", session, reason: { rule: "session_submitted", session } };
  }
  const due = handoffDue(state);
  if (!due) return undefined;
  const { session, ended } = due;
  return { do: "hand_over", session, reason: { rule: "session_ended", session, how: ended?.reason } };
}

/** The landing of a prepared merge, unless somebody stopped the relay; a merge that is on the base already is found at the resume. */
function preparedMerge(state: Opening): Action | undefined {
  const { merge } = state;
  const approved = state.submissions.find(({ submission }) => submission === merge?.submission);
  // The approval was taken back, or the settings now ask for more approvals than when the merge was prepared.
  if (!merge || !approved || !isApproved(approved) || stillNeeded(state, approved)) return undefined;
  return { do: "settle_merge", reason: { rule: "merge_prepared" } };
}

function halted(state: Opening): Action | undefined {
  return state.halted && { do: "rest", ...state.halted };
}

function onSubmission(state: Opening, now: Now): Action | undefined {
  const current = currentSubmission(state);
  if (!current || current.outcome) return undefined;
  const { submission, review } = current;
  if (!current.checks) return { do: "check", submission, reason: { rule: "submission_new", submission } };
  // A loop without a review is judged by its checks alone; failed checks need no paid Reviewer either.
  if ((keepsBranch(state) || !current.checks.ok) && review?.verdict !== "request_changes") {
    return { do: "settle", submission, reason: { rule: "settled_by_checks", ok: current.checks.ok } };
  }
  if (state.sinceResume.redByHand === submission) return backToPerson(state, current);
  if (!review) return awaitReview(state, { current, reason: { rule: "checked", submission } }, now);
  if (!isApproved(current)) return undefined;
  const needed = stillNeeded(state, current);
  if (needed?.who === "reviewer") return awaitReview(state, { current, reason: needed.reason }, now);
  if (needed) return block(state, { reason: needed.reason, ways: judged(state) });
  const questioned = unconfirmed(current);
  if (questioned) return confirm(state, { current, reason: questioned.reason }, now);
  return { do: "merge", submission, reason: { rule: "approved", submission, by: review.by } };
}

/** Confirmations are limited like merges: a base that always brings changes which meet the work needs a person. */
function confirm(
  state: Opening,
  { current, reason }: { current: SubmissionRecord; reason: StartReason },
  now: Now,
): Action {
  const { submission, confirmations } = current;
  const recent = new Set(state.sinceResume.sessions.map(({ session }) => session));
  const times = confirmations.filter(({ session }) => session !== undefined && recent.has(session)).length;
  if (times < mergeRoundsMax) return awaitReview(state, { current, reason }, now);
  const { base } = state;
  return block(state, {
    reason: { rule: "base_moving", base, times, submission },
    ways: [...judged(state), byHand(t`wait until ${base} moves less often`)],
  });
}

/** An agent changes a person's own work only after that person allows it. */
function backToPerson(state: Opening, { submission, checks }: SubmissionRecord): Action {
  const red = (checks?.results ?? []).filter(isRed);
  const failed = red.map(({ command, exitCode, timedOut, last }) => {
    return { command, exitCode, timedOut, ...(last !== undefined && { last }) };
  });
  const fix: Step = { do: "by_hand", what: t`fix what fails and commit that` };
  return block(state, {
    reason: { rule: "checks_failed", submission, failed },
    ways: [[fix, { do: "submit" }, resume], [{ do: "retry", note: t`lets an Executor fix it` }]],
  });
}

function awaitReview(
  state: Opening,
  { current, reason }: { current: SubmissionRecord; reason: StartReason },
  now: Now,
): Action {
  const { submission } = current;
  if (current.given) {
    return { do: "weigh", submission, reason: { rule: "verdict_given", session: current.given.session } };
  }
  const another: Step = { do: "retry", note: t`another Reviewer looks at it` };
  const refusals = refusalsInForce(state, current);
  const refused = refusals.at(-1);
  if (refused && refusals.length >= triesLeft(state, "evidence_unclear", verdictRefusalsMax)) {
    const { criteria = [], why } = refused;
    return block(state, {
      reason: { rule: "evidence_unclear", submission, criteria: unclearCriteria(criteria), why },
      ways: [...judged(state), [another]],
    });
  }
  const missing = verdictsMissing(state, current);
  if (missing >= triesLeft(state, "no_verdict", noVerdictMax)) {
    return block(state, {
      reason: { rule: "no_verdict", submission, sessions: missing },
      ways: [...judged(state), [another]],
    });
  }
  const wait = waiting(state, now);
  if (wait) return wait;
  const again: StartReason = missing > 0 ? { rule: "verdict_missing" } : reason;
  const next = refused ? ({ rule: "verdict_not_counted" } as const) : again;
  const action = start(state, now, { role: "reviewer", submission, reason: next });
  if (!refused || action.do !== "start") return action;
  // The same Reviewer is asked again, if it can play.
  const same = state.sessions.find(({ session }) => session === refused.session)?.agent;
  return { ...action, agents: action.agents.toSorted((a, b) => Number(b === same) - Number(a === same)) };
}

/** Submits finished work on the session's behalf: the only effect of exit detection. */
function onItsBehalf(state: Opening): Action | undefined {
  const finished = finishedUnsubmitted(state);
  if (!finished) return undefined;
  const { session, scored } = finished;
  return { do: "submit", session, reason: { rule: "looks_finished", session, exit: scored?.reason } };
}

function whyExecutor(state: Opening): StartReason {
  const executor = state.sessions.findLast((session) => session.role === "executor");
  const submission = currentSubmission(state);
  const { refusal, mergeTrouble } = state;
  if (refusal && (refusal.session ?? executor?.session) === executor?.session)
    return { rule: "submission_refused" };
  // No Executor session ran after this submission.
  if (submission && (executor?.session ?? 0) <= submission.sessionsThen) {
    const what = mergeTrouble?.type === "merge.conflicted" ? "conflict" : "checks";
    if (mergeTrouble) return { rule: "merge_trouble", what };
    const rule = submission.review?.by === "monoco" ? "checks_red" : "changes_requested";
    if (submission.review) return { rule, submission: submission.submission };
  }
  if (!state.handoff) return { rule: "new_relay" };
  const { session } = state.handoff;
  return { rule: "handed_over", session, ...(session === 0 && { remote: state.handedOver?.remote }) };
}
