/** Why a relay did what it did: each decision with its rule, its numbers and the settings that would change it, from the journal alone. */
import { indicatorsMin } from "../exit/detection.ts";
import { decide } from "../relay/decide.ts";
import type { EventOf, RelayEvent, StopReason } from "../journal/event.ts";
import { gauges } from "./limits-used.ts";
import type { Gauge } from "./limits-used.ts";
import type { RelayState } from "../journal/relay-state.ts";
import { becauseOf, settingsOf } from "../reason/reason.ts";
import type { Reason } from "../reason/reason-schema.ts";
import { valueAt } from "../settings/values.ts";
import { keepsBranch } from "../relay/phase.ts";
import { evolve, replay } from "../journal/state.ts";
import { named } from "../language/names.ts";
import { t, translatable, translated } from "../language/translate.ts";

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

/** `note`: what its sentence is followed by. A decision that only tells what somebody said or found has no reason. */
type Draft = {
  decision: string;
  numbers?: Gauge[];
  settings?: readonly string[];
} & ({ reason: Reason; note?: string } | { rule: string; because: string });

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
  const { decision, numbers = [] } = draft;
  const { rule, because, settings } = tellingOf(draft);
  const keys = [...(draft.settings ?? []), ...settings];
  return {
    seq: at.seq,
    atMs: at.atMs,
    session: at.state.sessions.at(-1)?.session ?? 0,
    decision,
    rule,
    because,
    numbers,
    settings: [...new Set(keys)].flatMap((key) => knob(key, at)),
  };
}

function tellingOf(draft: Draft): { rule: string; because: string; settings: readonly string[] } {
  if (!("reason" in draft)) return { ...draft, settings: [] };
  const { reason, note = "" } = draft;
  return { rule: reason.rule, because: becauseOf(reason) + note, settings: settingsOf(reason) };
}

function knob(key: string, at: { state: RelayState; origins: Readonly<Record<string, string>> }): Knob[] {
  const { opening } = at.state;
  const value = opening && valueAt(opening.settings, key.split("."));
  return value === undefined ? [] : [{ key, value, origin: at.origins[key] ?? "default" }];
}

/** What an event decided, in the state before it; undefined for those that only tell what was found. */
function draftOf(state: RelayState, event: RelayEvent): Draft | undefined {
  return draftOfSession(state, event) ?? draftOfSubmission(state, event) ?? draftOfRelay(state, event);
}

/** Of sessions, and of what keeps them from starting. */
function draftOfSession(state: RelayState, event: RelayEvent): Draft | undefined {
  switch (event.type) {
    case "session.started":
      return {
        decision: t`start session ${event.session} (${named(event.role)} by ${event.agent})`,
        reason: event.reason,
        numbers: gauges(state),
        settings: [`roles.${event.role}.agents`],
      };
    case "usage.measured":
      return mark(event);
    case "extension.granted":
      return {
        decision: t`grant session ${event.session} ${event.minutes} more minutes`,
        because: event.because,
        rule: "extension",
        settings: ["limits.sessionMinutes"],
      };
    case "session.ended":
      return ending(state, event);
    case "signal.scored":
      return score(event);
    case "breaker.changed":
      return {
        decision: named(`breaker ${event.to.replace("_", "-")}`),
        reason: event.reason,
        numbers: [...gauges(state), ...coolDown(state, event)],
        settings: event.to === "open" ? ["breaker.coolDownMinutes"] : [],
      };
    case "limit.hit":
      return {
        decision: t`leave the account of ${event.agent} alone until ${new Date(event.resetsAtMs).toISOString()}`,
        reason: limitReason(event),
      };
    case "rate.limited":
      return {
        decision: t`start no session for now`,
        reason: event.reason,
        numbers: [
          {
            what: t`within an hour`,
            value: event.reason.used,
            threshold: event.reason.max,
            ...settingsOf(event.reason).map((setting) => ({ setting }))[0],
          },
        ],
      };
    case "agent.suspended":
      return {
        decision: t`leave the account ${event.account} alone until ${new Date(event.untilMs).toISOString()}`,
        reason: event.reason,
        note: t` (${event.by})`,
      };
    default:
      return undefined;
  }
}

/** Of submissions, on their way to the base or back. */
function draftOfSubmission(state: RelayState, event: RelayEvent): Draft | undefined {
  switch (event.type) {
    case "submission.requested":
      return {
        decision: t`put up submission ${event.submission}`,
        ...(event.by === "monoco" && event.session !== undefined
          ? { reason: { rule: "looks_finished", session: event.session } }
          : { rule: "submitted", because: t`the ${named(event.by)} submitted` }),
      };
    case "submission.refused":
      return { decision: t`refuse the submission`, because: event.why, rule: "submission_refused" };
    case "review.refused":
      return {
        decision: t`not take the verdict of session ${event.session}`,
        because: event.why.join(t`; `),
        rule: "verdict_refused",
      };
    case "review.decided":
      return {
        decision: event.verdict === "approve" ? t`take the approval` : t`send it back`,
        because: whoDecided(event),
        rule: "verdict",
        numbers: gauges(state).filter(({ setting }) => setting === "limits.reviewRoundsMax"),
        settings: ["limits.reviewRoundsMax"],
      };
    case "merge.questioned":
      return {
        decision: t`have the approval of submission ${event.submission} confirmed on the merged tree`,
        reason: event.reason,
        numbers: [{ what: t`files that meet`, value: event.reason.meets.length }],
      };
    case "merge.done":
      return {
        decision: t`merge submission ${event.submission}`,
        because:
          event.pullRequest === undefined ? t`it is approved and checked` : t`its pull request is merged`,
        rule: "merged",
      };
    case "relay.finished":
      return state.opening && keepsBranch(state.opening)
        ? {
            decision: t`end the loop, its work on its branch`,
            because: t`its promise is given, and the checks pass on submission ${event.submission}`,
            rule: "finished",
          }
        : {
            decision: t`leave submission ${event.submission} on its branch`,
            because: t`it is approved and checked`,
            rule: "left",
            settings: ["finish.by"],
          };
    case "merge.conflicted":
    case "merge.rejected":
      return {
        decision: t`not merge submission ${event.submission}`,
        because: event.type === "merge.rejected" ? event.why : t`conflicts in ${event.paths.join(", ")}`,
        rule: "merge_trouble",
      };
    default:
      return undefined;
  }
}

/** Of the relay as a whole. */
function draftOfRelay(state: RelayState, event: RelayEvent): Draft | undefined {
  switch (event.type) {
    case "relay.opened":
      return {
        decision: t`open the relay`,
        because: event.preset
          ? t`preset ${event.preset.name}: ${becauseOf(event.preset.reason)}`
          : t`preset ${event.settings.preset}`,
        rule: "opened",
        settings: ["preset"],
      };
    case "relay.blocked":
      return { decision: t`ask a person`, reason: event.reason, numbers: gauges(state) };
    case "relay.paused":
      return { decision: t`pause`, reason: event.reason };
    case "relay.resumed":
      return {
        decision: t`go on`,
        because: event.changes?.length
          ? t`a ${named(event.by)} resumed, with ${event.changes.join(t`, `)}`
          : t`a ${named(event.by)} resumed`,
        rule: "person",
      };
    case "relay.cancelled":
      return { decision: t`give up`, reason: event.reason };
    default:
      return undefined;
  }
}

function mark(event: EventOf<"usage.measured">): Draft {
  const decision = t`tell session ${event.session} its mark ${named(event.mark)}`;
  if (event.reason) return { decision, reason: event.reason };
  return {
    decision,
    because: t`its context reached the mark ${named(event.mark)}`,
    rule: "context_mark",
    numbers: context(event),
    settings: ["limits.contextMarks"],
  };
}

function limitReason({ agent, text, resetGuessed }: EventOf<"limit.hit">): Reason {
  return { rule: "usage_limit", agent, said: text, guessed: resetGuessed };
}

function whoDecided({ by, submission }: EventOf<"review.decided">): string {
  return by === "monoco"
    ? t`the checks failed on submission ${submission}`
    : t`the ${named(by.replace("_", " "))} decided so on submission ${submission}`;
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
  return {
    decision: t`session ${event.session} ended: ${named(event.reason)}`,
    because: event.evidence.join(t`; `),
    rule: event.reason,
    numbers: [
      ...context(event),
      { what: t`commits`, value: event.commits },
      { what: t`files changed`, value: event.filesChanged },
    ],
    settings: [
      ...(endedBy[event.reason] ?? []),
      ...(event.limit ? settingsOf(event.limit) : []),
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
      what:
        windowTokens === undefined ? t`context, tokens` : t`context, tokens of a window of ${windowTokens}`,
      value: contextTokens,
    },
  ];
}

/** The cool-down that a breaker's change puts in force, and the probes that led to it. */
function coolDown(
  { opening }: RelayState,
  { coolDownMs, failedProbes = 0 }: EventOf<"breaker.changed">,
): Gauge[] {
  if (coolDownMs === undefined || !opening) return [];
  const probes = {
    what: t`failed probes in a row`,
    value: failedProbes,
    threshold: opening.settings.breaker.probesMax,
    setting: "breaker.probesMax",
  };
  return [
    { what: t`cool-down in force, minutes`, value: coolDownMs / 60_000 },
    ...(failedProbes > 0 ? [probes] : []),
  ];
}

function score(event: EventOf<"signal.scored">): Draft {
  return {
    decision: event.finished
      ? t`session ${event.session} looks finished`
      : t`session ${event.session} does not look finished`,
    reason: event.reason,
    numbers: [
      ...event.signals.map(({ name, present, weight, reason }) => ({
        what: t`${name} (weight ${weight}): ${becauseOf(reason)}`,
        value: present ? weight : 0,
        ...settingsOf(reason).map((setting) => ({ setting }))[0],
      })),
      { what: t`vote`, value: event.total, threshold: event.threshold, setting: "exit.threshold" },
      { what: t`completion indicators`, value: event.indicators, threshold: indicatorsMin },
      ...outright(event),
    ].map((one) => ({ ...one, also0: true as const })),
  };
}

const checkWords = translatable({
  passed: "checks passed",
  failed: "checks failed",
  not_run: "checks not run",
});

/** What decides before the vote: 1 for a yes, 0 for a no; what was not said is named as absent. */
function outright({
  exitSignal,
  promise,
  facts,
  closing,
  refusalGone,
}: EventOf<"signal.scored">): { what: string; value: number }[] {
  const said = (what: string, yes: boolean | null | undefined) => ({
    what: yes === null || yes === undefined ? t`${what}: absent` : what,
    value: yes ? 1 : 0,
  });
  return [
    said("EXIT_SIGNAL", exitSignal),
    said(t`completion promise`, promise || null),
    said(t`closing answer: done`, closing?.done),
    ...(closing ? [{ what: t`closing answer: items remaining`, value: closing.remaining.length }] : []),
    said(t`refused submit whose reason has gone`, refusalGone === undefined ? null : true),
    ...(facts
      ? [
          { what: translated(checkWords[facts.checks]), value: facts.checks === "passed" ? 1 : 0 },
          { what: t`files changed since the last submission, else the base`, value: facts.changed },
        ]
      : []),
  ];
}

function waitOf(state: RelayState, atMs: number): Draft | undefined {
  const { opening } = state;
  if (!opening) return undefined;
  const action = decide(state, opening.settings.limits, atMs);
  if (action.do !== "wait") return undefined;
  const { reason, untilMs } = action;
  const { breaker } = opening;
  const open = breaker?.untilMs === untilMs ? coolDown(state, breaker) : [];
  return { decision: t`wait until ${new Date(untilMs).toISOString()}`, reason, numbers: open };
}

function nextOf(state: RelayState, nowMs: number): Draft | undefined {
  const { opening } = state;
  if (!opening || opening.halted || opening.merged || opening.cleared) return undefined;
  const action = decide(state, opening.settings.limits, nowMs);
  // A session is at work, or its end is not yet settled.
  if (["rest", "recover", "hand_over", "accept"].includes(action.do)) return undefined;
  return {
    decision: t`next: ${named(action.do.replaceAll("_", " "))}`,
    reason: action.reason,
    numbers: gauges(state),
  };
}
