/** What a relay is, given all that has happened in it: state is the journal, folded. */
import type { EventOf, RelayEvent, Role, StopReason } from "./event.ts";
import { backoffSecondsMax, usageLimitMsMax, usageLimitMsMin } from "./limits.ts";
import type { Settings } from "./settings.ts";

export type SessionRecord = {
  session: number;
  role: Role;
  agent: string;
  startedAtMs: number;
  /** Sequence number of its session.started: the fence at everything that the session may still touch. */
  fence: number;
  started: EventOf<"session.started">;
  agentSessionId?: string;
  contextTokens?: number;
  windowTokens?: number;
  costUsd?: number;
  extendedMinutes: number;
  ended?: EventOf<"session.ended"> & { atMs: number };
  handoff?: EventOf<"handoff.recorded">;
  checks?: EventOf<"checks.ran">;
  /** Its submit was taken up: requested or refused. */
  submissionSettled?: boolean;
};

export type SubmissionRecord = {
  submission: number;
  head: string;
  tree: string;
  by: EventOf<"submission.requested">["by"];
  session?: number | undefined;
  /** How many sessions there were when it was requested. */
  sessionsThen: number;
  tampered: string[];
  checks?: EventOf<"checks.ran">;
  mergeChecks?: EventOf<"checks.ran">;
  review?: EventOf<"review.decided">;
  /** What became of an approved one. */
  outcome?: "merged" | "conflicted" | "rejected";
};

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

export type RelayState = {
  /** Sequence number of the last event; 0 for an empty journal. */
  seq: number;
  atMs: number;
  opened?: EventOf<"relay.opened"> & { atMs: number };
  settings?: Settings;
  settingsSha256?: string;
  /** All sessions of the issue, those of earlier openings too: numbers never start again. */
  sessions: SessionRecord[];
  submissions: SubmissionRecord[];
  /** Sessions and submissions up to these numbers belong to an earlier opening. */
  sessionsBefore: number;
  submissionsBefore: number;
  /** Session numbers up to this one no longer count against limits: a person has resumed since. */
  forgivenUpTo: number;
  /** The same for rounds of requested changes: submissions up to this one. */
  roundsForgivenUpTo: number;
  handoff?: EventOf<"handoff.recorded">;
  /** Why the last submission was refused, until the next one: a session that was told may have died since. */
  refusal?: EventOf<"submission.refused">;
  /** What stands between an approved submission and the base branch, until the next submission. */
  mergeTrouble?: EventOf<"merge.conflicted"> | EventOf<"merge.rejected">;
  mergeRepairs: number;
  merge?: EventOf<"merge.prepared">;
  merged?: EventOf<"merge.done">;
  waitUntilMs: number;
  waitBecause: string;
  halted?: { phase: "blocked" | "paused" | "cancelled"; because: string; hint: string };
  cleared: boolean;
  /** Ids of mailbox messages that are in the journal: a message is taken once. */
  messageIds: Set<string>;
};

const initial = (): RelayState => ({
  seq: 0,
  atMs: 0,
  sessions: [],
  submissions: [],
  sessionsBefore: 0,
  submissionsBefore: 0,
  forgivenUpTo: 0,
  roundsForgivenUpTo: 0,
  mergeRepairs: 0,
  waitUntilMs: 0,
  waitBecause: "",
  cleared: false,
  messageIds: new Set(),
});

/** The state after `events`, which start at the journal's first. */
export function replay(events: readonly RelayEvent[]): RelayState {
  const state = initial();
  for (const event of events) evolve(state, event);
  return state;
}

/** Folds one event into `state` (in place: the fold owns it) and returns it. */
export function evolve(state: RelayState, event: RelayEvent): RelayState {
  state.seq = event.seq;
  state.atMs = event.atMs;
  if (event.messageId) state.messageIds.add(event.messageId);
  switch (event.type) {
    case "relay.opened":
      return open(state, event);
    case "session.started":
      return start(state, event);
    case "session.identified":
      sessionOf(state, event.session).agentSessionId = event.agentSessionId;
      return state;
    case "usage.measured":
      return measure(state, event);
    case "extension.granted":
      sessionOf(state, event.session).extendedMinutes += event.minutes;
      return state;
    case "session.ended":
      return end(state, event);
    case "handoff.recorded":
      sessionOf(state, event.session).handoff = event;
      state.handoff = event;
      return state;
    case "submission.requested":
      return submit(state, event);
    case "submission.refused":
      settleSubmission(state, event.session);
      state.refusal = event;
      return state;
    case "contract.tampered":
      submissionOf(state, event.submission).tampered = event.fields;
      return state;
    case "checks.ran":
      return check(state, event);
    case "review.decided":
      submissionOf(state, event.submission).review = event;
      return state;
    case "limit.hit":
      waitForLimit(state, event);
      return state;
    case "merge.prepared":
      state.merge = event;
      return state;
    case "merge.done":
      submissionOf(state, event.submission).outcome = "merged";
      delete state.merge;
      state.merged = event;
      return state;
    case "merge.conflicted":
    case "merge.rejected":
      submissionOf(state, event.submission).outcome =
        event.type === "merge.conflicted" ? "conflicted" : "rejected";
      delete state.merge;
      state.mergeTrouble = event;
      state.mergeRepairs += 1;
      return state;
    case "relay.paused":
      state.halted = {
        phase: "paused",
        because: event.because,
        hint: `monoco relay resume ${issueOf(state)}`,
      };
      return state;
    case "relay.blocked":
      delete state.merge;
      state.halted = { phase: "blocked", because: event.because, hint: event.hint };
      return state;
    case "relay.cancelled":
      state.halted = {
        phase: "cancelled",
        because: event.because,
        hint: `monoco relay clear ${issueOf(state)}`,
      };
      return state;
    case "relay.resumed":
      return resume(state, event);
    case "relay.cleared":
      state.cleared = true;
      return state;
    default:
      return event satisfies never;
  }
}

function open(state: RelayState, event: EventOf<"relay.opened"> & { atMs: number }): RelayState {
  const { seq, atMs, sessions, submissions, messageIds } = state;
  Object.assign(state, initial(), { seq, atMs, sessions, submissions, messageIds });
  for (const key of ["handoff", "refusal", "mergeTrouble", "merge", "merged", "halted"] as const)
    delete state[key];
  state.opened = event;
  state.settings = event.settings;
  state.settingsSha256 = event.settingsSha256;
  state.sessionsBefore = sessions.length;
  state.forgivenUpTo = sessions.length;
  state.submissionsBefore = submissions.length;
  state.roundsForgivenUpTo = submissions.length;
  return state;
}

function start(
  state: RelayState,
  event: EventOf<"session.started"> & { atMs: number; seq: number },
): RelayState {
  const { session, role, agent } = event;
  const times = { startedAtMs: event.atMs, fence: event.seq, extendedMinutes: 0 };
  state.sessions.push({ session, role, agent, started: event, ...times });
  return state;
}

function measure(state: RelayState, event: EventOf<"usage.measured">): RelayState {
  const session = sessionOf(state, event.session);
  session.contextTokens = event.contextTokens;
  if (event.windowTokens !== undefined) session.windowTokens = event.windowTokens;
  if (event.costUsd !== undefined) session.costUsd = event.costUsd;
  return state;
}

function end(state: RelayState, event: EventOf<"session.ended"> & { atMs: number }): RelayState {
  const session = sessionOf(state, event.session);
  session.ended = event;
  if (event.contextTokens !== undefined) session.contextTokens = event.contextTokens;
  if (event.windowTokens !== undefined) session.windowTokens = event.windowTokens;
  if (event.costUsd !== undefined) session.costUsd = event.costUsd;
  if (event.reason === "usage_limit" && event.resetsAtMs !== undefined) {
    // Here already: a crash may come between this event and limit.hit.
    waitForLimit(state, { agent: session.agent, resetsAtMs: event.resetsAtMs });
  }
  const inARow = session.role === "executor" && failures.has(event.reason) ? failuresInARow(state) : 0;
  const base = state.settings?.limits.backoffSeconds ?? 0;
  if (inARow > 0 && base > 0) {
    state.waitUntilMs = event.atMs + Math.min(base * 2 ** (inARow - 1), backoffSecondsMax) * 1000;
    state.waitBecause = `back-off after ${inARow} failed session${inARow > 1 ? "s" : ""} without progress`;
  }
  return state;
}

/** Never shorter than a minute: an agent that names a time gone by would be started again at once, for ever. Nor endless. */
function waitForLimit(state: RelayState, limit: { agent: string; resetsAtMs: number }): void {
  const waitMs = Math.max(limit.resetsAtMs - state.atMs, usageLimitMsMin);
  state.waitUntilMs = state.atMs + Math.min(waitMs, usageLimitMsMax);
  state.waitBecause = `usage limit of ${limit.agent}`;
}

function submit(state: RelayState, event: EventOf<"submission.requested">): RelayState {
  const { submission, head, tree, by, session } = event;
  const sessionsThen = state.sessions.length;
  state.submissions.push({ submission, head, tree, by, session, sessionsThen, tampered: [] });
  settleSubmission(state, session);
  delete state.refusal;
  delete state.mergeTrouble;
  return state;
}

function settleSubmission(state: RelayState, session: number | undefined): void {
  if (session !== undefined) sessionOf(state, session).submissionSettled = true;
}

function check(state: RelayState, event: EventOf<"checks.ran">): RelayState {
  if (event.target === "session") sessionOf(state, event.n).checks = event;
  else if (event.target === "submission") submissionOf(state, event.n).checks = event;
  else submissionOf(state, event.n).mergeChecks = event;
  return state;
}

function resume(state: RelayState, event: EventOf<"relay.resumed">): RelayState {
  delete state.halted;
  state.forgivenUpTo = state.sessions.length;
  state.roundsForgivenUpTo = state.submissions.length;
  state.mergeRepairs = 0;
  state.waitUntilMs = 0;
  if (event.settings) state.settings = event.settings;
  if (event.settingsSha256) state.settingsSha256 = event.settingsSha256;
  return state;
}

/** Sessions that count against the limits: since the opening or the last resume by a person. */
export function sessionsInForce(state: RelayState): SessionRecord[] {
  return state.sessions.slice(state.forgivenUpTo);
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

/** Executor sessions at the end that made no progress (the breaker's count); a limit or a person's stop is neither. */
export function stalledInARow(state: RelayState): number {
  return countBack(state, (session) => session.ended?.progress === false);
}

/** Requested changes of this opening, since a person last resumed. */
export function reviewRounds(state: RelayState): number {
  return state.submissions
    .slice(state.roundsForgivenUpTo)
    .filter((submission) => submission.review && !isApproved(submission)).length;
}

/** Approved, and not over red checks: the relay overrules such a verdict when it records it; the core does not rely on that. */
export function isApproved(submission: SubmissionRecord): boolean {
  return submission.review?.verdict === "approve" && submission.checks?.ok === true;
}

/** Reviewer sessions for `submission` that brought no verdict, since a person last resumed. */
export function verdictsMissing(state: RelayState, submission: number): number {
  return sessionsInForce(state).filter(
    (session) => session.started.submission === submission && session.ended && !uncharged(session),
  ).length;
}

/** What the relay is doing or waiting for, in one word. */
export function phaseOf(state: RelayState): Phase {
  if (!state.opened || state.cleared) return "none";
  if (state.merged) return "done";
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

/** The Executor session that ended by a submit which is not yet taken up. */
export function submissionDue(state: RelayState): SessionRecord | undefined {
  const last = state.sessions.at(-1);
  if (!last?.ended || last.session <= state.sessionsBefore || last.submissionSettled) return undefined;
  return last.role === "executor" && last.ended.reason === "submitted" ? last : undefined;
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

/** Failed Executor sessions at the end that made no progress either. */
function failuresInARow(state: RelayState): number {
  return countBack(state, (session) => failures.has(session.ended!.reason) && !session.ended!.progress);
}

/** Ends that a session did not choose and no limit explains (also those after which a handoff carries a post-mortem). */
export const failures: ReadonlySet<StopReason> = new Set(["failure", "silent", "unknown"]);

function countBack(state: RelayState, counts: (session: SessionRecord) => boolean): number {
  let found = 0;
  for (const session of sessionsInForce(state).toReversed()) {
    if (session.role !== "executor" || uncharged(session)) continue;
    if (!counts(session)) break;
    found += 1;
  }
  return found;
}

const unchargedReasons: ReadonlySet<StopReason> = new Set(["usage_limit", "user_interrupt", "needs_login"]);

/** A session that ended for a reason outside its work counts for nothing. */
export function uncharged(session: SessionRecord): boolean {
  return session.ended !== undefined && unchargedReasons.has(session.ended.reason);
}

function sessionOf(state: RelayState, session: number): SessionRecord {
  const found = state.sessions.find((record) => record.session === session);
  if (!found) throw new Error(`the journal speaks of session ${session}, which never started`);
  return found;
}

function submissionOf(state: RelayState, submission: number): SubmissionRecord {
  const found = state.submissions.find((record) => record.submission === submission);
  if (!found) throw new Error(`the journal speaks of submission ${submission}, which was never requested`);
  return found;
}

function issueOf(state: RelayState): string {
  return state.opened?.issue ?? "ID";
}
