/** The report of a relay: its whole state, for terminals and --json alike. */
import { standings } from "../relay/budget.ts";
import type { BudgetSpan, BudgetUnit } from "../reason/amounts.ts";
import { positionWords } from "../reason/breaker-rows.ts";
import { endingWords } from "../reason/ending-rows.ts";
import { becauseOf } from "../reason/reason.ts";
import type { Reason, Rule } from "../reason/reason-schema.ts";
import { counted } from "../language/counted.ts";
import { decide } from "../relay/decide.ts";
import type { Around } from "../relay/action.ts";
import type { BreakerPosition, EventOf, Waiver } from "../journal/event.ts";
import type { Hint } from "../error/hint-schema.ts";
import { failureWords, isRed } from "../review/red.ts";
import { plainLine } from "../text/sanitize.ts";
import type { PullRequest, RelayState, SessionRecord, SubmissionRecord } from "../journal/relay-state.ts";
import { phaseOf, runningSession } from "../relay/phase.ts";
import type { Phase } from "../relay/phase.ts";
import { uncharged } from "../journal/counts.ts";
import type { NetworkMode } from "../settings/network.ts";
import { t, translatable, translated } from "../language/translate.ts";

export type SessionReport = {
  session: number;
  role: string;
  agent: string;
  /** The mechanism that contained the session, and the network that it left open. */
  containment: string;
  network: NetworkMode;
  reason: string | null;
  evidence: string[];
  contextTokens: number | null;
  windowTokens: number | null;
  costUsd: number | null;
  durationMs: number | null;
  commits: number | null;
  handoff: string | null;
};

export type SubmissionReport = {
  submission: number;
  head: string;
  by: string;
  checks: "green" | "as_before" | "red" | "none" | null;
  verdict: "approve" | "request_changes" | null;
  decidedBy: string | null;
  findings: number;
  tampered: string[];
  /** The protected paths that it changes, and the number of places that weaken tests or checks. */
  protected: string[];
  weakened: number;
  outcome: string | null;
};

/** The schema of `relay status --json`, one relay. */
export type RelayReport = {
  issue: string;
  title: string;
  phase: Phase;
  because: string;
  /** The rule behind `because`; null if a session was cut off. */
  rule: Rule | null;
  next: string;
  hint: Hint;
  waitingUntilMs: number | null;
  runner: "alive" | "none";
  /** How set-up and checks ended on the base before the first session; null if they did not run. */
  baseline: { commit: string; red: string[] } | null;
  /** The unanswered question. */
  question: { session: number; text: string } | null;
  /** The last message from elsewhere that was not taken. */
  refused: Pick<EventOf<"letter.refused">, "letter" | "via" | "why"> | null;
  sessions: SessionReport[];
  submissions: SubmissionReport[];
  /** The sessions that count against `sessionsMax`: not those that ended for outside reasons, or before a person resumed. */
  sessionsSpent: number;
  sessionsMax: number;
  /** Whether a person resumed after the first session, so that only later sessions are charged. */
  chargedSinceResume: boolean;
  costUsd: number;
  /** The budgets that are set, and their use. */
  budgets: { span: BudgetSpan; unit: BudgetUnit; used: number; max: number }[];
  /** The circuit breaker; `untilMs` is the time at which an open one lets a session probe. */
  breaker: { is: BreakerPosition; because: string | null; untilMs: number | null };
  /** The suspended accounts; without a time, somebody has to act. */
  suspended: { account: string; untilMs: number | null; because: string }[];
  containment: string | null;
  /** The network that the last session's sandbox leaves open. */
  network: NetworkMode;
  /** The requirements that a person waived. */
  waived: Waiver[];
  mergedAs: string | null;
  /** Clones and branches that are kept after the merge because they hold unmerged work. */
  kept: string[];
  /** The pull request, and its open demands at the last look. */
  pullRequest: {
    url: string;
    seen: Pick<
      EventOf<"pull_request.seen">,
      "head" | "pending" | "red" | "stopped" | "decision" | "conflicts" | "others"
    > | null;
  } | null;
  /** The place of finished work that is not merged: left by `finish`, or by a loop without a review. */
  leftOn: { branch: string; commit: string; pullRequest: string | null } | null;
  events: number;
};

/** The report of one relay; `runnerAlive` comes from the kernel's lock, never from the journal. */
export function reportOf(
  state: RelayState,
  now: { runnerAlive: boolean; nowMs: number; around?: Around },
): RelayReport {
  const { opening } = state;
  const limits = opening?.settings.limits;
  const action = limits
    ? decide(state, limits, now.nowMs, now.around)
    : ({
        do: "rest",
        phase: "none",
        reason: { rule: "no_relay" },
        hint: [[{ do: "open" }]],
      } as const);
  const running = runningSession(state);
  const cutOff = running !== undefined && !now.runnerAlive;
  const { sessions = [], sinceResume, breaker, merged, finished } = opening ?? {};
  const spent = (sinceResume?.sessions ?? []).filter((session) => !uncharged(session)).length;
  return {
    issue: opening?.issue ?? "",
    title: plainLine(opening?.title ?? ""),
    phase: action.do === "rest" && action.phase === "done" ? "done" : phaseOf(state),
    because: cutOff
      ? t`session ${running.session} was cut off: its runner died`
      : running
        ? becauseOf(running.started.reason)
        : becauseIn(state, action.reason),
    rule: cutOff ? null : (running?.started.reason ?? action.reason).rule,
    next: running && !cutOff ? t`let the session work` : nextWords(action),
    hint: hintOf(action, now.runnerAlive),
    waitingUntilMs: action.do === "wait" || action.do === "limit_rate" ? action.untilMs : null,
    runner: now.runnerAlive ? "alive" : "none",
    baseline: baselineReport(opening),
    question: opening?.question ?? null,
    refused: refusedIn(opening),
    sessions: sessions.map(sessionReport),
    submissions: (opening?.submissions ?? []).map(submissionReport),
    sessionsSpent: spent,
    sessionsMax: limits?.sessionsMax ?? 0,
    chargedSinceResume: (sinceResume?.sessions.length ?? 0) < sessions.length,
    costUsd: sessions.reduce((sum, session) => sum + (session.costUsd ?? 0), 0),
    budgets: standings(state, { elsewhere: [], run: undefined, ...now.around, nowMs: now.nowMs }).map(
      ({ span, unit, used, max }) => ({ span, unit, used, max }),
    ),
    breaker: {
      is: breaker?.to ?? "closed",
      because: breaker ? becauseOf(breaker.reason) : null,
      untilMs: breaker?.untilMs ?? null,
    },
    suspended: [...(sinceResume?.suspended.values() ?? [])]
      .filter(({ untilMs }) => (untilMs ?? Infinity) > now.nowMs)
      .map(({ account, untilMs, reason }) => ({
        account,
        untilMs: untilMs ?? null,
        because: becauseOf(reason),
      })),
    ...heldLast(state),
    waived: opening?.waived ?? [],
    mergedAs: merged?.commit ?? null,
    kept: merged?.kept ?? finished?.kept ?? [],
    pullRequest: opening?.pullRequest ? pullReport(opening.pullRequest) : null,
    leftOn: leftReport(opening),
    events: state.seq,
  };
}

/** The reason why a relay rests, with the remote whose word it is if another clone recorded it. */
export function becauseIn({ opening }: RelayState, reason: Reason): string {
  const because = becauseOf(reason);
  if (opening?.pulled === undefined) return because;
  return t`${because}; its journal is from ${opening.pulled}, and nobody here has checked what it says`;
}

function leftReport(opening: RelayState["opening"]): RelayReport["leftOn"] {
  const { branch, finished, merged } = opening ?? {};
  if (branch === undefined || !finished || merged) return null;
  return { branch, commit: finished.commit, pullRequest: finished.pullRequest ?? null };
}

function refusedIn(opening: RelayState["opening"]): RelayReport["refused"] {
  if (!opening?.refusedLetter) return null;
  const { letter, via, why } = opening.refusedLetter;
  return { letter, via, why };
}

function baselineReport(opening: RelayState["opening"]): RelayReport["baseline"] {
  if (!opening?.baseline) return null;
  const { commit, results } = opening.baseline;
  return { commit, red: results.filter(isRed).map(failureWords) };
}

/** The sandbox of the last session. */
function heldLast({ sessions }: RelayState): Pick<RelayReport, "containment" | "network"> {
  const started = sessions.at(-1)?.started;
  return { containment: started?.containment ?? null, network: started?.network ?? "full" };
}

function pullReport({ url, seen }: PullRequest): RelayReport["pullRequest"] {
  if (!seen) return { url, seen: null };
  const { head, pending, red, stopped, decision, conflicts, others } = seen;
  return { url, seen: { head, pending, red, stopped, decision, conflicts, others } };
}

function hintOf(action: ReturnType<typeof decide>, runnerAlive: boolean): Hint {
  if (action.do === "rest" || action.do === "block") return action.hint;
  return runnerAlive ? [] : [[{ do: "resume" }]];
}

/** "nothing" is not translated: the callers that show the other texts leave it out. */
function nextWords(action: ReturnType<typeof decide>): string {
  if (action.do === "change_breaker") return positionWords[action.to]();
  return action.do === "rest" ? "nothing" : translated(nexts[action.do]);
}

const nexts: Record<
  Exclude<ReturnType<typeof decide>["do"], "rest" | "change_breaker">,
  string
> = translatable({
  recover: "end the session that was cut off",
  accept: "take up the submission",
  hand_over: "write the handoff",
  submit: "put the work up for review on the agent's behalf",
  start: "start a session",
  check: "run the checks",
  weigh: "look for itself at the evidence of the verdict",
  settle: "judge the submission by its checks",
  merge: "merge",
  settle_merge: "settle the merge",
  limit_rate: "wait",
  wait: "wait",
  block: "ask a person",
});

function sessionReport(session: SessionRecord): SessionReport {
  const { ended } = session;
  return {
    session: session.session,
    role: session.role,
    agent: session.agent,
    containment: session.started.containment,
    network: session.started.network ?? "full",
    reason: ended?.reason ?? null,
    evidence: endingWords(ended?.evidence ?? []),
    contextTokens: session.contextTokens ?? null,
    windowTokens: session.windowTokens ?? null,
    costUsd: session.costUsd ?? null,
    durationMs: ended?.durationMs ?? null,
    commits: ended?.commits ?? null,
    handoff: session.handoff?.source ?? null,
  };
}

/** A count such as `8 sessions, 6 charged, of 30`. */
export function sessionsWords(report: Omit<RelayReport, "hint">): string {
  const { sessions, sessionsSpent, sessionsMax, chargedSinceResume } = report;
  const since = chargedSinceResume ? t` since the last resume` : "";
  return t`${counted(sessions.length, "session")}, ${sessionsSpent} charged${since}, of ${sessionsMax}`;
}

/** `none`: the checks ran, but none are configured. `as_before`: red as on the base. */
function checksWord({ checks }: SubmissionRecord): SubmissionReport["checks"] {
  if (!checks) return null;
  if (checks.results.length === 0) return "none";
  if (!checks.ok) return "red";
  return checks.results.some(({ asBefore }) => asBefore) ? "as_before" : "green";
}

function submissionReport(record: SubmissionRecord): SubmissionReport {
  return {
    submission: record.submission,
    head: record.head,
    by: record.by,
    checks: checksWord(record),
    verdict: record.review?.verdict ?? null,
    decidedBy: record.review?.by ?? null,
    findings: record.review?.findings.length ?? 0,
    tampered: record.tampered,
    protected: (record.inspection?.protected ?? []).map(({ path }) => path),
    weakened: (record.inspection?.weakened.length ?? 0) + (record.inspection?.more?.weakened ?? 0),
    outcome: record.outcome ?? null,
  };
}
