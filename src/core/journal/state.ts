/** State is the journal, folded: what each event makes of a relay. */
import type { EventOf, RelayEvent } from "./event.ts";
import { backoffSecondsMax, outageBackoffSecondsMin } from "../limits.ts";
import { accountOf, limitedUntil } from "./account.ts";
import type { Suspension } from "./account.ts";
import type { RelayState, SessionRecord, SubmissionRecord } from "./relay-state.ts";
import { failures, failuresInARow, outagesInARow } from "./counts.ts";

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
  said: [],
  refusals: [],
  waitUntilMs: 0,
  waitBecause: "",
  suspended: new Map(),
  resumedAtMs: 0,
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
      return identify(state, event);
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
    case "question.asked":
      sessionOf(state, event.session).asked = event.text;
      state.question = { session: event.session, text: withEarlier(state.question, event) };
      return state;
    case "question.answered":
      return answered(state, event.text);
    case "note.said":
      state.said.push({ text: event.text });
      return state;
    case "signal.scored":
      sessionOf(state, event.session).scored = event;
      return state;
    case "submission.requested":
      return submit(state, event);
    case "submission.refused":
      settleSubmission(state, event.session);
      state.refusal = event;
      if (event.session !== undefined) state.refusals.push(event);
      return state;
    case "contract.tampered":
      submissionOf(state, event.submission).tampered = event.fields;
      return state;
    case "submission.inspected": {
      const { protected: paths, weakened, more } = event;
      submissionOf(state, event.submission).inspection = {
        protected: paths,
        weakened,
        ...(more ? { more } : {}),
      };
      return state;
    }
    case "checks.ran":
      return check(state, event);
    case "review.given":
      submissionOf(state, event.submission).given = event;
      return state;
    case "review.refused":
      return refuseVerdict(state, event);
    case "review.decided":
      return review(state, event);
    case "breaker.changed":
      if (event.to === "closed") delete state.breaker;
      else state.breaker = event;
      if (event.to === "open") state.freshBecause = "the breaker opened";
      return state;
    case "limit.hit":
      suspendForLimit(state, event.agent, event.resetsAtMs);
      return state;
    case "agent.suspended": {
      const { account, untilMs, because } = event;
      suspend(state, { account, sinceMs: state.atMs, untilMs, because });
      return state;
    }
    case "rate.limited":
      state.waitUntilMs = Math.max(state.waitUntilMs, event.untilMs);
      state.waitBecause = event.because;
      return state;
    case "merge.prepared":
      state.merge = event;
      return state;
    case "merge.done":
      submissionOf(state, event.submission).outcome = "merged";
      delete state.merge;
      state.merged = event;
      return state;
    case "relay.finished":
      submissionOf(state, event.submission).outcome = "kept";
      state.finished = event;
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
      state.freshBecause = "a person stopped it";
      state.halted = {
        phase: "paused",
        because: event.because,
        hint: [[{ do: "resume" }]],
      };
      return state;
    case "relay.blocked":
      // A merge that was parked stays prepared: the person may land it by hand before resuming.
      state.halted = {
        phase: "blocked",
        rule: event.rule,
        because: event.because,
        hint: event.hint,
      };
      return state;
    case "relay.cancelled":
      state.halted = {
        phase: "cancelled",
        because: event.because,
        hint: [[{ do: "clear" }]],
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
  for (const key of [
    "handoff",
    "freshBecause",
    "question",
    "refusal",
    "mergeTrouble",
    "redByHand",
    "merge",
    "merged",
    "finished",
    "halted",
    "resumedFrom",
    "breaker",
    "preset",
  ] as const)
    delete state[key];
  state.opened = event;
  state.settings = event.settings;
  state.settingsSha256 = event.settingsSha256;
  takeOrigins(state, event);
  if (event.preset) state.preset = event.preset;
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
  if (role === "executor") delete state.freshBecause;
  return state;
}

function identify(state: RelayState, { session, agentSessionId }: EventOf<"session.identified">): RelayState {
  const record = sessionOf(state, session);
  if (record.agentSessionId !== undefined && record.agentSessionId !== agentSessionId) record.renamed = true;
  record.agentSessionId = agentSessionId;
  return state;
}

function measure(state: RelayState, event: EventOf<"usage.measured">): RelayState {
  const session = sessionOf(state, event.session);
  session.contextTokens = event.contextTokens;
  if (event.windowTokens !== undefined) session.windowTokens = event.windowTokens;
  if (event.costUsd !== undefined) session.costUsd = event.costUsd;
  if (event.tokens !== undefined) session.tokens = event.tokens;
  return state;
}

function end(state: RelayState, event: EventOf<"session.ended"> & { atMs: number }): RelayState {
  const session = sessionOf(state, event.session);
  session.ended = event;
  if (event.contextTokens !== undefined) session.contextTokens = event.contextTokens;
  if (event.windowTokens !== undefined) session.windowTokens = event.windowTokens;
  if (event.costUsd !== undefined) session.costUsd = event.costUsd;
  if (event.tokens !== undefined) session.tokens = event.tokens;
  // Here already: a crash may come between this event and limit.hit.
  if (event.reason === "usage_limit" && event.resetsAtMs !== undefined) {
    suspendForLimit(state, session.agent, event.resetsAtMs);
  }
  if (event.reason === "needs_login") {
    suspend(state, {
      account: account(state, session.agent),
      sinceMs: state.atMs,
      because: event.evidence[0] ?? "not logged in",
      program: event.program,
    });
  }
  if (event.cause === "outage") suspendForOutage(state, session.agent);
  const failed = failures.has(event.reason) && event.cause === undefined;
  const inARow = session.role === "executor" && failed ? failuresInARow(state) : 0;
  const base = state.settings?.limits.backoffSeconds ?? 0;
  if (inARow > 0 && base > 0) {
    state.waitUntilMs = event.atMs + Math.min(base * 2 ** (inARow - 1), backoffSecondsMax) * 1000;
    state.waitBecause = `back-off after ${inARow} failed session${inARow > 1 ? "s" : ""} without progress`;
  }
  return state;
}

/** All that was asked before is answered with it. A relay that was blocked by the question has only to be resumed. */
function answered(state: RelayState, text: string): RelayState {
  if (state.halted?.phase === "blocked" && state.halted.rule === "question") {
    state.halted = { ...state.halted, because: "its question is answered", hint: [[{ do: "resume" }]] };
  }
  state.said.push({ text, ...(state.question ? { answerTo: state.question.text } : {}) });
  delete state.question;
  for (const session of state.sessions) delete session.asked;
  return state;
}

function suspendForLimit(state: RelayState, agent: string, resetsAtMs: number): void {
  const name = account(state, agent);
  const ofAccount = state.sessions.filter((one) => account(state, one.agent) === name);
  const again = ofAccount.at(-2)?.ended?.reason === "usage_limit";
  const untilMs = limitedUntil(resetsAtMs, { nowMs: state.atMs, again });
  const because = `usage limit of ${agent}`;
  suspend(state, { account: name, sinceMs: state.atMs, untilMs, because });
}

/** The back-off of a busy server is its account's: another vendor's agent may work meanwhile. */
function suspendForOutage(state: RelayState, agent: string): void {
  const name = account(state, agent);
  const inARow = outagesInARow(state, (one) => account(state, one.agent) === name);
  const base = Math.max(state.settings?.limits.backoffSeconds ?? 0, outageBackoffSecondsMin);
  const untilMs = state.atMs + Math.min(base * 2 ** (inARow - 1), backoffSecondsMax) * 1000;
  const because = `outage of ${agent}${inARow > 1 ? `, ${inARow} times in a row` : ""}`;
  suspend(state, { account: name, sinceMs: state.atMs, untilMs, because });
}

function suspend(state: RelayState, suspension: Suspension): void {
  state.suspended.set(suspension.account, suspension);
}

function account(state: RelayState, agent: string): string {
  return state.settings ? accountOf(state.settings, agent) : agent;
}

function submit(state: RelayState, event: EventOf<"submission.requested">): RelayState {
  state.freshBecause = "the work was submitted";
  const { submission, head, tree, by, session } = event;
  const sessionsThen = state.sessions.length;
  state.submissions.push({
    submission,
    head,
    tree,
    by,
    session,
    sessionsThen,
    tampered: [],
    refusals: [],
    reviews: [],
  });
  settleSubmission(state, session);
  // Put up while a merge stood prepared, and had not landed: it takes that one's place.
  delete state.merge;
  delete state.refusal;
  state.refusals = [];
  delete state.mergeTrouble;
  delete state.redByHand;
  // Those are about verdicts on the submission before.
  if (state.resumedFrom === "verdict_refused" || state.resumedFrom === "no_verdict") delete state.resumedFrom;
  return state;
}

function refuseVerdict(state: RelayState, event: EventOf<"review.refused">): RelayState {
  const submission = submissionOf(state, event.submission);
  delete submission.given;
  submission.refusals.push(event);
  return state;
}

function review(state: RelayState, event: EventOf<"review.decided">): RelayState {
  const submission = submissionOf(state, event.submission);
  delete submission.given;
  submission.reviews.push(event);
  submission.review = event;
  if (event.by === "monoco" && submission.by === "person") state.redByHand = event.submission;
  else delete state.redByHand;
  if (event.verdict === "request_changes" && state.merge?.submission === event.submission) delete state.merge;
  state.freshBecause = "the work was reviewed";
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
  if (state.halted?.phase === "blocked") state.resumedFrom = state.halted.rule;
  delete state.halted;
  delete state.redByHand;
  state.forgivenUpTo = state.sessions.length;
  state.roundsForgivenUpTo = state.submissions.length;
  state.mergeRepairs = 0;
  state.waitUntilMs = 0;
  state.suspended.clear();
  // A person's word lets one session probe.
  if (state.breaker) {
    state.breaker = { type: "breaker.changed", to: "half_open", because: "a person resumed", seq: state.seq };
  }
  state.resumedAtMs = state.atMs;
  if (event.settings) {
    if (JSON.stringify(event.settings.agents) !== JSON.stringify(state.settings?.agents))
      state.freshBecause = "the agents' settings have changed";
    state.settings = event.settings;
    takeOrigins(state, event);
  }
  if (event.preset) state.preset = event.preset;
  if (event.settingsSha256) state.settingsSha256 = event.settingsSha256;
  return state;
}

/** They belong to the settings that came with them. */
function takeOrigins(
  state: RelayState,
  { origins, policy }: EventOf<"relay.opened"> | EventOf<"relay.resumed">,
): void {
  delete state.origins;
  delete state.policy;
  if (origins) state.origins = origins;
  if (policy !== undefined) state.policy = policy;
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

/** All that one session asks is one question: an answer is to the whole of it. */
function withEarlier(
  earlier: RelayState["question"],
  { session, text }: { session: number; text: string },
): string {
  if (earlier?.session !== session) return text;
  return earlier.text.includes(text) ? earlier.text : `${earlier.text}\n${text}`;
}
