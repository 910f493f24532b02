/** What people are told of a relay: events in words, and the whole state as one report, for terminals and --json alike. */
import { standings } from "../relay/budget.ts";
import type { BudgetSpan, BudgetUnit } from "../relay/budget.ts";
import { counted } from "../text/counted.ts";
import { decide } from "../relay/decide.ts";
import type { Around } from "../relay/decide.ts";
import type { BreakerPosition, EventBody, EventOf, Waiver } from "../journal/event.ts";
import { hintWords } from "../relay/hint.ts";
import { eventCharsMax } from "../limits.ts";
import { inspectionCounts } from "../review/inspection.ts";
import { plainLine } from "../text/sanitize.ts";
import type { RelayState, SessionRecord, SubmissionRecord } from "../journal/relay-state.ts";
import { resumeCommand } from "../relay/resume-command.ts";
import { phaseOf, runningSession } from "../relay/phase.ts";
import type { Phase } from "../relay/phase.ts";
import { sessionsInForce, uncharged } from "../journal/counts.ts";

export type Tone = "plain" | "good" | "bad" | "dim";
export type Line = { tone: Tone; text: string };

/** One event in words; undefined for what only machines need. */
export function describeEvent(event: EventBody): Line | undefined {
  switch (event.type) {
    case "relay.opened":
      return line(
        "plain",
        `opened: ${event.title} (base ${event.base} ${short(event.baseCommit)})${event.preset ? `, preset ${event.preset.name}: ${event.preset.because}` : ""}${waivedWords(event.waived)}`,
      );
    case "session.started":
      return line(
        "plain",
        `session ${event.session} started: ${event.role} by ${event.agent}, because ${event.because}`,
      );
    case "session.identified":
      return undefined;
    case "usage.measured":
      return line(
        "dim",
        event.why === undefined
          ? `session ${event.session}: context mark ${event.mark} at ${percent(event.contextTokens, event.windowTokens)}`
          : `session ${event.session}: budget mark ${event.mark}, ${event.why}`,
      );
    case "extension.granted":
      return line(
        "dim",
        `session ${event.session}: ${event.minutes} more minutes granted (${event.because})`,
      );
    case "session.ended":
      return describeEnd(event);
    case "handoff.recorded":
      return line(
        "plain",
        `handoff of session ${event.session} for the next Executor: ${handoffSources[event.source]}`,
      );
    case "question.asked":
      return line("bad", `session ${event.session} asks: ${event.text}`);
    case "question.answered":
      return line("plain", `answered by a ${event.by}: ${event.text}`);
    case "note.said":
      return line("plain", `a ${event.by} says: ${event.text}`);
    case "signal.scored":
      return event.finished
        ? line("plain", `session ${event.session}: looks finished, ${event.because}`)
        : undefined;
    case "submission.requested":
      return line("plain", `submission ${event.submission}: commit ${short(event.head)} by ${event.by}`);
    case "submission.refused":
      return line("bad", `submission refused: ${event.why}`);
    case "contract.tampered":
      return line("bad", `submission ${event.submission} changes the contract: ${event.fields.join(", ")}`);
    case "submission.inspected":
      return line("bad", `submission ${event.submission} changes ${inspectionCounts(event)}`);
    case "checks.ran": {
      const failed = event.results.filter((result) => result.exitCode !== 0).map((result) => result.command);
      const what =
        event.results.length === 0
          ? "no checks are configured"
          : event.ok
            ? "checks green"
            : `checks RED: ${failed.join(", ")}`;
      return line(event.ok ? "good" : "bad", `${event.target} ${event.n}: ${what}`);
    }
    case "review.given":
      return undefined;
    case "review.refused":
      return line(
        "bad",
        `submission ${event.submission}: the verdict of session ${event.session} (${event.verdict}) does not count: ${event.why.join("; ")}`,
      );
    case "review.decided":
      return describeReview(event);
    case "breaker.changed":
      return line(
        event.to === "open" ? "bad" : "plain",
        `breaker ${event.to.replace("_", "-")}: ${event.because}${event.untilMs === undefined ? "" : `; next try ${timeOf(event.untilMs)}`}`,
      );
    case "limit.hit":
      return line(
        "bad",
        `usage limit of ${event.agent} until ${timeOf(event.resetsAtMs)}${event.resetGuessed ? " (a guess: no time is named)" : ""}`,
      );
    case "agent.suspended":
      return line(
        "dim",
        `${event.account} is not used until ${timeOf(event.untilMs)}: ${event.because} (${event.by})`,
      );
    case "rate.limited":
      return line("plain", `waits until ${timeOf(event.untilMs)}: ${event.because}`);
    case "merge.prepared":
      return line(
        "dim",
        `merge of submission ${event.submission} prepared as ${short(event.commit)}${event.instead === undefined ? "" : `, by ${event.strategy}: ${event.instead}`}`,
      );
    case "merge.done":
      return line(
        "good",
        `merged submission ${event.submission} as ${short(event.commit)}${keptWords(event.kept)}`,
      );
    case "relay.finished":
      return line(
        "good",
        `finished: submission ${event.submission} is left on its branch${event.pullRequest === undefined ? "" : `, pull request ${event.pullRequest}`}${keptWords(event.kept)}`,
      );
    case "merge.conflicted":
      return line("bad", `merge conflict in ${event.paths.join(", ")}`);
    case "merge.rejected":
      return line("bad", `merge rejected: ${event.why}`);
    case "relay.paused":
      return line("plain", `paused: ${event.because}`);
    case "relay.resumed":
      return line(
        "plain",
        `resumed by a ${event.by}${event.settings ? `, with ${event.changes?.join(", ") || "the settings of now"}` : ""}`,
      );
    case "relay.blocked":
      return line("bad", `blocked: ${event.because}`);
    case "relay.cancelled":
      return line("plain", `cancelled: ${event.because}`);
    case "relay.cleared":
      return line("plain", "cleared");
    default:
      return event satisfies never;
  }
}

function keptWords(kept: readonly string[] = []): string {
  return kept.length === 0 ? "" : `; kept: ${kept.join("; ")}`;
}

const handoffSources = {
  agent: "written by the agent",
  completed: "written by the agent, completed by monoco",
  generated: "generated by monoco",
} as const;

function describeEnd(event: Extract<EventBody, { type: "session.ended" }>): Line {
  const figures = [
    seconds(event.durationMs),
    ...(event.contextTokens === undefined
      ? []
      : [`context ${percent(event.contextTokens, event.windowTokens)}`]),
    ...(event.commits > 0 ? [counted(event.commits, "commit")] : []),
    ...(event.wip ? ["uncommitted work kept"] : []),
    ...(event.costUsd === undefined ? [] : [`$${event.costUsd.toFixed(2)}`]),
  ];
  const bad = ["failure", "unknown", "not_started", "silent", "no_verdict", "needs_login"].includes(
    event.reason,
  );
  const why = bad && event.evidence[0] ? ` (${event.evidence[0]})` : "";
  return line(
    bad ? "bad" : "plain",
    `session ${event.session} ended: ${event.reason}${why} [${figures.join(", ")}]`,
  );
}

function describeReview(event: EventOf<"review.decided">): Line {
  const approved = event.verdict === "approve";
  const what = approved ? "approved" : "changes requested";
  const findings = event.findings.map((finding) => `${finding.severity}: ${finding.title}`).join("; ");
  const notes = [
    ...(event.overrides ? [`against the Reviewer's ${event.overrides}`] : []),
    ...(event.trend ? [event.trend] : []),
  ];
  return line(
    approved ? "good" : "bad",
    `submission ${event.submission}: ${what} by the ${event.by}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}${findings ? `: ${findings}` : ""}`,
  );
}

function line(tone: Tone, text: string): Line {
  return { tone, text: plainLine(text, eventCharsMax) };
}

/** `160000 of 200000 tokens` as `80 %`; tokens where the window is unknown. */
export function percent(tokens: number, windowTokens?: number): string {
  return windowTokens ? `${Math.round((tokens / windowTokens) * 100)} %` : `${tokens} tokens`;
}

export function seconds(ms: number): string {
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Times come from agents too: beyond the year 275760 a date cannot be written. */
function timeOf(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms` : date.toISOString();
}

function waivedWords(waived: readonly Waiver[] = []): string {
  return waived.length === 0 ? "" : `, without its ${waived.join(" and ")}`;
}

function short(commit: string): string {
  return commit.slice(0, 8);
}

export type SessionReport = {
  session: number;
  role: string;
  agent: string;
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
  checks: "green" | "red" | "none" | null;
  verdict: "approve" | "request_changes" | null;
  decidedBy: string | null;
  findings: number;
  tampered: string[];
  /** Protected paths that it changes, and how many places weaken tests or checks. */
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
  next: string;
  hint: string;
  waitingUntilMs: number | null;
  runner: "alive" | "none";
  /** A question that nobody has answered. */
  question: { session: number; text: string } | null;
  sessions: SessionReport[];
  submissions: SubmissionReport[];
  /** Those that count against `sessionsMax`: a limit, a login or a person ended the others, or a person has resumed since. */
  sessionsSpent: number;
  sessionsMax: number;
  /** A person has resumed after the first session: only those since are charged. */
  chargedSinceResume: boolean;
  costUsd: number;
  /** The budgets that are set, and where they stand. */
  budgets: { span: BudgetSpan; unit: BudgetUnit; used: number; max: number }[];
  /** The circuit breaker; `untilMs` is when an open one lets a session probe. */
  breaker: { is: BreakerPosition; because: string | null; untilMs: number | null };
  /** Accounts that cannot be used now; without a time somebody has to log in. */
  suspended: { account: string; untilMs: number | null; because: string }[];
  containment: string | null;
  /** What a person let it be opened without. */
  waived: Waiver[];
  mergedAs: string | null;
  /** Clones and branches that are kept after the merge: they hold what is not in it. */
  kept: string[];
  /** Where the work is, if it is not merged: by `finish`, or of a loop without a review. */
  leftOn: { branch: string; commit: string; pullRequest: string | null } | null;
  events: number;
};

/** The report of one relay; `runnerAlive` is what the kernel's lock says, never the journal. */
export function reportOf(
  state: RelayState,
  now: { runnerAlive: boolean; nowMs: number; around?: Around },
): RelayReport {
  const limits = state.settings?.limits;
  const action = limits
    ? decide(state, limits, now.nowMs, now.around)
    : ({
        do: "rest",
        phase: "none",
        because: "no relay is open",
        hint: [[{ do: "open" }]],
      } as const);
  const running = runningSession(state);
  const cutOff = running !== undefined && !now.runnerAlive;
  const sessions = state.sessions.filter((session) => session.session > state.sessionsBefore);
  return {
    issue: state.opened?.issue ?? "",
    title: plainLine(state.opened?.title ?? ""),
    phase: phaseOf(state),
    because: cutOff
      ? `session ${running.session} was cut off: its runner died`
      : running
        ? running.started.because
        : action.because,
    next: running && !cutOff ? "let the session work" : nexts[action.do],
    hint: hintOf(state, action, now.runnerAlive),
    waitingUntilMs: action.do === "wait" || action.do === "limit_rate" ? action.untilMs : null,
    runner: now.runnerAlive ? "alive" : "none",
    question: state.question ?? null,
    sessions: sessions.map(sessionReport),
    submissions: state.submissions
      .filter((record) => record.submission > state.submissionsBefore)
      .map(submissionReport),
    sessionsSpent: sessionsInForce(state).filter((session) => !uncharged(session)).length,
    sessionsMax: limits?.sessionsMax ?? 0,
    chargedSinceResume: state.forgivenUpTo > state.sessionsBefore,
    costUsd: sessions.reduce((sum, session) => sum + (session.costUsd ?? 0), 0),
    budgets: standings(state, { elsewhere: [], run: undefined, ...now.around, nowMs: now.nowMs }).map(
      ({ span, unit, used, max }) => ({ span, unit, used, max }),
    ),
    breaker: {
      is: state.breaker?.to ?? "closed",
      because: state.breaker?.because ?? null,
      untilMs: state.breaker?.untilMs ?? null,
    },
    suspended: [...state.suspended.values()]
      .filter(({ untilMs }) => (untilMs ?? Infinity) > now.nowMs)
      .map(({ account, untilMs, because }) => ({ account, untilMs: untilMs ?? null, because })),
    containment: state.sessions.at(-1)?.started.containment ?? null,
    waived: state.opened?.waived ?? [],
    mergedAs: state.merged?.commit ?? null,
    kept: state.merged?.kept ?? state.finished?.kept ?? [],
    leftOn: state.finished
      ? {
          branch: state.opened?.branch ?? "",
          commit: state.finished.commit,
          pullRequest: state.finished.pullRequest ?? null,
        }
      : null,
    events: state.seq,
  };
}

function hintOf(state: RelayState, action: ReturnType<typeof decide>, runnerAlive: boolean): string {
  if (action.do === "rest" || action.do === "block") return hintWords(action.hint, state);
  return runnerAlive ? "" : resumeCommand(state);
}

const nexts: Record<ReturnType<typeof decide>["do"], string> = {
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
  change_breaker: "change the breaker",
  limit_rate: "wait",
  wait: "wait",
  block: "ask a person",
  rest: "nothing",
};

function sessionReport(session: SessionRecord): SessionReport {
  const { ended } = session;
  return {
    session: session.session,
    role: session.role,
    agent: session.agent,
    reason: ended?.reason ?? null,
    evidence: ended?.evidence ?? [],
    contextTokens: session.contextTokens ?? null,
    windowTokens: session.windowTokens ?? null,
    costUsd: session.costUsd ?? null,
    durationMs: ended?.durationMs ?? null,
    commits: ended?.commits ?? null,
    handoff: session.handoff?.source ?? null,
  };
}

/** `8 sessions, 6 charged, of 30` */
export function sessionsWords(report: RelayReport): string {
  const { sessions, sessionsSpent, sessionsMax, chargedSinceResume } = report;
  const since = chargedSinceResume ? " since the last resume" : "";
  return `${counted(sessions.length, "session")}, ${sessionsSpent} charged${since}, of ${sessionsMax}`;
}

/** `none`: they ran, and there are none. */
function checksWord({ checks }: SubmissionRecord): SubmissionReport["checks"] {
  if (!checks) return null;
  if (checks.results.length === 0) return "none";
  return checks.ok ? "green" : "red";
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
