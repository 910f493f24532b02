/** Replays a recorded journal under other thresholds, session by session, up to the first decision that differs. */
import { decide } from "../relay/decide.ts";
import { decisionEvent } from "../relay/decision-event.ts";
import type { RelayEvent } from "../journal/event.ts";
import type { ExitPolicy } from "../exit/detection.ts";
import { parseIssue } from "../issue/issue.ts";
import { choosePreset, presetNames, presets } from "../settings/presets.ts";
import type { Opening, RelayState } from "../journal/relay-state.ts";
import { rescore } from "./rescore.ts";
import { becauseOf } from "../reason/reason.ts";
import type { Reason } from "../reason/reason-schema.ts";
import { settle } from "../settings/layers.ts";
import type { Source } from "../settings/layers.ts";
import type { Settings } from "../settings/settings.ts";
import { evolve, replay } from "../journal/state.ts";
import { scoredBefore } from "../journal/counts.ts";

/** The choices of a policy between sessions; `unknown` after a decision that differs, since its consequences are unknown. */
export const choices = [
  "go_on",
  "submit",
  "open_breaker",
  "probe",
  "close_breaker",
  "ask",
  "unknown",
] as const;
export type Choice = (typeof choices)[number];

/** A decision after `session`: the recorded one, and the policy's. */
export type Compared = {
  seq: number;
  session: number;
  recorded: Choice;
  would: Choice;
  because: string;
};

export type WhatIf = {
  compared: Compared[];
  /** The first decision that differs; null if none does. */
  differs: Compared | null;
};

/** Replays `events` as they happened, but decides by `policy`; settings that it leaves out are as recorded. */
export function whatIf(events: readonly RelayEvent[], policy: Source): WhatIf {
  const recorded = replay([]);
  const under = replay([]);
  const compared: Compared[] = [];
  let differs: Compared | null = null;
  const compare = (choice: Choice | undefined, atMs: number): void => {
    if (choice === undefined) return;
    const session = recorded.sessions.at(-1)?.session ?? 0;
    const would: Chosen = differs ? { choice: "unknown" } : choiceAt(under, atMs);
    const because = would.reason ? becauseOf(would.reason) : "";
    const one = { seq: recorded.seq, session, recorded: choice, would: would.choice, because };
    compared.push(one);
    if (!differs && one.would !== one.recorded) differs = one;
  };
  for (const event of events) {
    compare(recordedBy(recorded, event), event.atMs);
    if (!differs) evolve(under, underPolicy(under, event, policy));
    evolve(recorded, event);
  }
  const pending = isBetweenSessions(recorded) ? choiceAt(recorded, recorded.atMs).choice : "unknown";
  if (pending !== "unknown") compare(pending, recorded.atMs);
  return { compared, differs };
}

/** The choice behind an event; undefined if no threshold affects it. */
function recordedBy(state: RelayState, event: RelayEvent): Choice | undefined {
  switch (event.type) {
    case "session.started":
      return event.role === "executor" && hasRun(state) ? "go_on" : undefined;
    case "submission.requested":
      return event.by === "monoco" ? "submit" : undefined;
    case "breaker.changed":
      return breakerChoices[event.to];
    case "relay.blocked": {
      // No policy asks for a failed set-up or a parked merge.
      const { choice, reason } = choiceAt(state, event.atMs);
      return choice === "ask" && reason?.rule === event.reason.rule ? "ask" : undefined;
    }
    default:
      return undefined;
  }
}

const breakerChoices = { open: "open_breaker", half_open: "probe", closed: "close_breaker" } as const;

/** Whether an Executor has run since the opening: before that there is nothing to decide. */
function hasRun({ opening }: RelayState): boolean {
  return opening !== undefined && opening.sessions.length > 0;
}

function isBetweenSessions({ opening }: RelayState): boolean {
  if (!opening || opening.merged || opening.cleared) return false;
  return opening.sessions.at(-1)?.ended !== undefined;
}

type Chosen = { choice: Choice; reason?: Reason };

/** The choice at a time. A pause delays a decision but does not change it, so the decision after the pause counts. */
function choiceAt(state: RelayState, atMs: number): Chosen {
  if (!state.opening) return { choice: "unknown", reason: { rule: "no_relay" } };
  const { limits } = state.opening.settings;
  const first = decide(state, limits, atMs);
  const pauses = first.do === "wait" || first.do === "limit_rate";
  const action = pauses ? decide(state, limits, first.untilMs) : first;
  const { reason } = action;
  if (action.do === "start") return { choice: action.role === "executor" ? "go_on" : "unknown", reason };
  if (action.do === "submit") return { choice: "submit", reason };
  if (action.do === "change_breaker") return { choice: breakerChoices[action.to], reason };
  return { choice: action.do === "block" ? "ask" : "unknown", reason };
}

/** The event as recorded under the policy, if all earlier decisions are the same. */
function underPolicy(state: RelayState, event: RelayEvent, policy: Source): RelayEvent {
  const { opening } = state;
  if (event.type === "relay.opened")
    return { ...event, settings: settingsUnder(event.settings, policy, event.contract) };
  if (event.type === "relay.resumed" && event.settings && opening)
    return { ...event, settings: settingsUnder(event.settings, policy, opening.contract) };
  if (event.type === "signal.scored" && opening)
    return {
      ...event,
      ...rescore(event, scoredBefore(opening, event.session), exitPolicyOf(opening)),
    };
  if (event.type === "breaker.changed" && opening) {
    const action = decide(state, opening.settings.limits, event.atMs);
    if (action.do !== "change_breaker" || action.to !== event.to) return event;
    const { v, seq, prev, atMs } = event;
    return { v, seq, prev, atMs, ...decisionEvent(action) };
  }
  return event;
}

/** A loop ends by its promise alone, whatever the thresholds. */
function exitPolicyOf({ settings, loop }: Opening): ExitPolicy {
  return { ...settings.exit, promise: loop?.promise };
}

type Contract = { text: string; path: string };

/** The recorded settings with the policy's thresholds. */
export function settingsUnder(recorded: Settings, policy: Source, contract: Contract): Settings {
  const asked = policy.values["preset"];
  const name =
    asked === "auto"
      ? choosePreset(parseIssue(contract.text, contract.path)).name
      : presetNames.find((preset) => preset === asked);
  const numbers = name === undefined ? [] : [{ values: presets[name], at: policy.at }];
  return settle([policy, ...numbers, { values: recorded, at: policy.at }]).settings;
}
