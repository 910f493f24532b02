/** Why a relay did what it did: each decision with its rule, its numbers and the settings that would change it, from the journal alone. */
import { decide } from "../relay/decide.ts";
import type { EventOf, RelayEvent, StopReason } from "../journal/event.ts";
import { gauges } from "./limits-used.ts";
import type { Gauge } from "./limits-used.ts";
import type { RelayState } from "../journal/relay-state.ts";
import { ruleOf } from "../relay/rules.ts";
import { valueAt } from "../settings/values.ts";
import { keepsBranch } from "../relay/phase.ts";
import { evolve, replay } from "../journal/state.ts";

/** A setting with its value then, and where that came from. */
export type Knob = { key: string; value: unknown; origin: string };

export type Decision = {
  /** The event that records it; a wait is recorded by none, and has that of the event before it. */
  seq: number;
  atMs: number;
  /** The session that it is about, or the last one; 0 before the first. */
  session: number;
  decision: string;
  rule: string;
  because: string;
  numbers: Gauge[];
  settings: Knob[];
};

type Draft = {
  decision: string;
  because: string;
  rule?: string;
  numbers?: Gauge[];
  settings?: readonly string[];
};

/** All decisions of a journal, oldest first; what happens next, at `nowMs`, is the last where it is still to come. */
export function explain(events: readonly RelayEvent[], nowMs: number): Decision[] {
  const state = replay([]);
  const decisions: Decision[] = [];
  let origins: Readonly<Record<string, string>> = {};
  let waiting = "";
  const add = (draft: Draft | undefined, at: { seq: number; atMs: number }): void => {
    if (draft) decisions.push(decisionOf(draft, { state, origins, ...at }));
  };
  for (const event of events) {
    const before = draftOf(state, event);
    evolve(state, event);
    if ((event.type === "relay.opened" || event.type === "relay.resumed") && event.origins)
      origins = event.origins;
    add(before, event);
    const wait = waitOf(state, event.atMs);
    if (wait && wait.decision !== waiting) add(wait, event);
    waiting = wait?.decision ?? "";
  }
  add(nextOf(state, nowMs), { seq: state.seq, atMs: nowMs });
  return decisions;
}

function decisionOf(
  draft: Draft,
  at: { state: RelayState; origins: Readonly<Record<string, string>>; seq: number; atMs: number },
): Decision {
  const { decision, because, numbers = [] } = draft;
  const known = ruleOf(because);
  const keys = [...(draft.settings ?? []), ...(draft.rule === undefined ? known.settings : [])];
  return {
    seq: at.seq,
    atMs: at.atMs,
    session: at.state.sessions.at(-1)?.session ?? 0,
    decision,
    rule: draft.rule ?? known.rule,
    because,
    numbers,
    settings: [...new Set(keys)].flatMap((key) => knob(key, at)),
  };
}

function knob(key: string, at: { state: RelayState; origins: Readonly<Record<string, string>> }): Knob[] {
  const value = at.state.settings && valueAt(at.state.settings, key.split("."));
  return value === undefined ? [] : [{ key, value, origin: at.origins[key] ?? "default" }];
}

function budgetMark(event: EventOf<"usage.measured">, because: string): Draft {
  return {
    decision: `tell session ${event.session} its mark ${event.mark}`,
    because,
    rule: "budget_mark",
    settings: ["budgets.session.tokens", "budgets.session.costUsd"],
  };
}

/** What an event decided, in the state before it; undefined for those that only tell what was found. */
function draftOf(state: RelayState, event: RelayEvent): Draft | undefined {
  switch (event.type) {
    case "relay.opened":
      return {
        decision: "open the relay",
        because: event.preset
          ? `preset ${event.preset.name}: ${event.preset.because}`
          : `preset ${event.settings.preset}`,
        rule: "opened",
        settings: ["preset"],
      };
    case "session.started":
      return {
        decision: `start session ${event.session} (${event.role} by ${event.agent})`,
        because: event.because,
        numbers: gauges(state),
        settings: [`roles.${event.role}.agents`],
      };
    case "usage.measured":
      if (event.why !== undefined) return budgetMark(event, event.why);
      return {
        decision: `tell session ${event.session} its mark ${event.mark}`,
        because: `its context reached the mark ${event.mark}`,
        rule: "context_mark",
        numbers: context(event),
        settings: ["limits.contextMarks"],
      };
    case "extension.granted":
      return {
        decision: `grant session ${event.session} ${event.minutes} more minutes`,
        because: event.because,
        rule: "extension",
        settings: ["limits.sessionMinutes"],
      };
    case "session.ended":
      return ending(state, event);
    case "signal.scored":
      return score(event);
    case "submission.requested":
      return {
        decision: `put up submission ${event.submission}`,
        because:
          event.by === "monoco"
            ? `session ${event.session} looks finished and did not submit`
            : `the ${event.by} submitted`,
        ...(event.by === "monoco" ? {} : { rule: "submitted" }),
      };
    case "submission.refused":
      return { decision: "refuse the submission", because: event.why, rule: "submission_refused" };
    case "review.refused":
      return {
        decision: `not take the verdict of session ${event.session}`,
        because: event.why.join("; "),
        rule: "verdict_refused",
      };
    case "review.decided":
      return {
        decision: event.verdict === "approve" ? "take the approval" : "send it back",
        because: whoDecided(event),
        rule: "verdict",
        numbers: gauges(state).filter(({ setting }) => setting === "limits.reviewRoundsMax"),
        settings: ["limits.reviewRoundsMax"],
      };
    case "breaker.changed":
      return {
        decision: `breaker ${event.to.replace("_", "-")}`,
        because: event.because,
        numbers: [...gauges(state), ...coolDown(state, event)],
        settings: event.to === "open" ? ["breaker.coolDownMinutes"] : [],
      };
    case "limit.hit":
      return {
        decision: `leave the account of ${event.agent} alone until ${new Date(event.resetsAtMs).toISOString()}`,
        because: `usage limit of ${event.agent}: ${event.text}${event.resetGuessed ? "; no time is named: this one is a guess" : ""}`,
      };
    case "rate.limited":
      return {
        decision: "start no session for now",
        because: event.because,
        numbers: [
          {
            what: "within an hour",
            value: event.used,
            threshold: event.max,
            setting: `limits.${event.limit}`,
          },
        ],
      };
    case "agent.suspended":
      return {
        decision: `leave the account ${event.account} alone until ${new Date(event.untilMs).toISOString()}`,
        because: `${event.because} (${event.by})`,
      };
    case "relay.blocked":
      return { decision: "ask a person", because: event.because, numbers: gauges(state) };
    case "relay.paused":
      return { decision: "pause", because: event.because, rule: "person" };
    case "relay.resumed":
      return {
        decision: "go on",
        because: event.changes?.length
          ? `a ${event.by} resumed, with ${event.changes.join(", ")}`
          : `a ${event.by} resumed`,
        rule: "person",
      };
    case "relay.cancelled":
      return { decision: "give up", because: event.because, rule: "person" };
    case "merge.done":
      return {
        decision: `merge submission ${event.submission}`,
        because: "it is approved and checked",
        rule: "merged",
      };
    case "relay.finished":
      return keepsBranch(state)
        ? {
            decision: "end the loop, its work on its branch",
            because: `its promise is given, and the checks pass on submission ${event.submission}`,
            rule: "finished",
          }
        : {
            decision: `leave submission ${event.submission} on its branch`,
            because: "it is approved and checked",
            rule: "left",
            settings: ["finish.by"],
          };
    case "merge.conflicted":
    case "merge.rejected":
      return {
        decision: `not merge submission ${event.submission}`,
        because: event.type === "merge.rejected" ? event.why : `conflicts in ${event.paths.join(", ")}`,
        rule: "merge_trouble",
      };
    default:
      return undefined;
  }
}

function whoDecided({ by, submission }: EventOf<"review.decided">): string {
  return by === "monoco"
    ? `the checks failed on submission ${submission}`
    : `the ${by} decided so on submission ${submission}`;
}

/** By stop reason, what would have let the session go on, or ended it sooner. */
const endedBy: Partial<Record<StopReason, readonly string[]>> = {
  context_limit: ["limits.contextMarks"],
  timeout: ["limits.sessionMinutes"],
  not_started: ["limits.startSeconds"],
  silent: ["limits.silenceMinutes"],
  usage_limit: ["limits.usageLimitMinutes"],
};

function ending(state: RelayState, event: EventOf<"session.ended">): Draft {
  const role = state.sessions.find(({ session }) => session === event.session)?.role;
  const locked = event.evidence.some((line) => /times in the same way/.test(line));
  return {
    decision: `session ${event.session} ended: ${event.reason}`,
    because: event.evidence.join("; "),
    rule: event.reason,
    numbers: [
      ...context(event),
      { what: "commits", value: event.commits },
      { what: "files changed", value: event.filesChanged },
    ],
    settings: [
      ...(endedBy[event.reason] ?? []),
      ...(locked ? ["limits.sameFailureMax"] : []),
      ...(["usage_limit", "needs_login"].includes(event.reason) && role ? [`roles.${role}.agents`] : []),
    ],
  };
}

function context({
  contextTokens,
  windowTokens,
}: {
  contextTokens?: number | undefined;
  windowTokens?: number | undefined;
}): Gauge[] {
  if (contextTokens === undefined) return [];
  return [
    {
      what: windowTokens === undefined ? "context, tokens" : `context, tokens of a window of ${windowTokens}`,
      value: contextTokens,
    },
  ];
}

/** The cool-down that a breaker's change puts in force, and the probes that led to it. */
function coolDown(
  { settings }: RelayState,
  { coolDownMs, failedProbes = 0 }: EventOf<"breaker.changed">,
): Gauge[] {
  if (coolDownMs === undefined || !settings) return [];
  const probes = {
    what: "failed probes in a row",
    value: failedProbes,
    threshold: settings.breaker.probesMax,
    setting: "breaker.probesMax",
  };
  return [
    { what: "cool-down in force, minutes", value: coolDownMs / 60_000 },
    ...(failedProbes > 0 ? [probes] : []),
  ];
}

const signalSettings: Readonly<Record<string, string>> = {
  consecutive_done: "exit.doneSessions",
  test_only: "exit.testSessions",
};

function score(event: EventOf<"signal.scored">): Draft {
  return {
    decision: `session ${event.session} ${event.finished ? "looks finished" : "does not look finished"}`,
    because: event.because,
    rule: "exit_detection",
    numbers: [
      ...event.signals.map(({ name, present, weight, because }) => ({
        what: `${name} (weight ${weight}): ${because}`,
        value: present ? weight : 0,
        ...(signalSettings[name] === undefined ? {} : { setting: signalSettings[name] }),
      })),
      { what: "vote", value: event.total, threshold: event.threshold, setting: "exit.threshold" },
      { what: "completion indicators", value: event.indicators },
    ],
    settings: ["exit.threshold", "exit.doneSessions", "exit.testSessions"],
  };
}

function waitOf(state: RelayState, atMs: number): Draft | undefined {
  if (!state.settings) return undefined;
  const action = decide(state, state.settings.limits, atMs);
  if (action.do !== "wait") return undefined;
  const { because, untilMs } = action;
  const open = state.breaker?.untilMs === untilMs ? coolDown(state, state.breaker) : [];
  return { decision: `wait until ${new Date(untilMs).toISOString()}`, because, numbers: open };
}

function nextOf(state: RelayState, nowMs: number): Draft | undefined {
  if (!state.settings || state.halted || state.merged || state.cleared) return undefined;
  const action = decide(state, state.settings.limits, nowMs);
  // A session is at work, or its end is not yet settled.
  if (["rest", "recover", "hand_over", "accept"].includes(action.do)) return undefined;
  return {
    decision: `next: ${action.do.replaceAll("_", " ")}`,
    because: action.because,
    numbers: gauges(state),
  };
}
