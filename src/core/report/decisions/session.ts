/** Decisions about sessions: start, marks, extra time and end, and obstacles to a start. */
import { timeOf } from "../../text/figures.ts";
import type { EventOf, RelayEvent, StopReason } from "../../journal/event.ts";
import type { RelayState } from "../../journal/relay-state.ts";
import { named } from "../../language/names.ts";
import { t } from "../../language/translate.ts";
import { positionWords } from "../../reason/breaker-rows.ts";
import { endingSettings, endingWords } from "../../reason/ending-rows.ts";
import { settingsOf } from "../../reason/reason.ts";
import type { Reason } from "../../reason/reason-schema.ts";
import { gauges } from "../limits-used.ts";
import type { Gauge } from "../limits-used.ts";
import { coolDown } from "./cool-down.ts";
import type { Draft } from "./draft.ts";
import { score } from "./exit.ts";

export function draftOfSession(state: RelayState, event: RelayEvent): Draft | undefined {
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
        decision: positionWords[event.to](),
        reason: event.reason,
        numbers: [...gauges(state), ...coolDown(state, event)],
        settings: event.to === "open" ? ["breaker.coolDownMinutes"] : [],
      };
    case "limit.hit":
      return {
        decision: t`pause ${event.agent} until ${timeOf(event.resetsAtMs, event.atMs)}`,
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
        decision:
          event.untilMs === undefined
            ? t`pause the account ${event.account}`
            : t`pause the account ${event.account} until ${timeOf(event.untilMs, event.atMs)}`,
        reason: event.reason,
        note: t` (${event.by})`,
      };
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

/** By stop reason, the settings that would have changed the session's end. */
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
    because: endingWords(event.evidence).join(t`; `),
    rule: event.reason,
    numbers: [
      ...context(event),
      { what: t`commits`, value: event.commits },
      { what: t`files changed`, value: event.filesChanged },
    ],
    settings: [
      ...(endedBy[event.reason] ?? []),
      ...endingSettings(event.evidence),
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
