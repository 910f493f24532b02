/** Explains a relay: each decision with its rule, its numbers and the settings that would change it, from the journal alone. */
import type { RelayEvent } from "../journal/event.ts";
import type { RelayState } from "../journal/relay-state.ts";
import { evolve, replay } from "../journal/state.ts";
import { becauseOf, settingsOf } from "../reason/reason.ts";
import { valueAt } from "../settings/values.ts";
import { nextOf, waitOf } from "./decisions/ahead.ts";
import type { Draft } from "./decisions/draft.ts";
import { draftOfRelay } from "./decisions/relay.ts";
import { draftOfSession } from "./decisions/session.ts";
import { draftOfSubmission } from "./decisions/submission.ts";
import type { Gauge } from "./limits-used.ts";

/** A setting with its value at the time, and the origin of the value. */
export type Knob = { key: string; value: unknown; origin: string };

export type Decision = {
  /** The event that records the decision; for a wait, which no event records, the event before it. */
  seq: number;
  atMs: number;
  /** The session of the decision, or the last one; 0 before the first. */
  session: number;
  /** Who made it: `monoco`, the Reviewer or a person. */
  by: string;
  decision: string;
  rule: string;
  because: string;
  numbers: Gauge[];
  settings: Knob[];
};

/** All decisions of a journal, oldest first; the last may be the step that is still to come at `nowMs`. */
export function explain(events: readonly RelayEvent[], nowMs: number): Decision[] {
  const state = replay([]);
  const decisions: Decision[] = [];
  let origins: Readonly<Record<string, string>> = {};
  let waiting = "";
  const add = (draft: Draft | undefined, at: { seq: number; atMs: number; by?: string }): void => {
    if (draft) decisions.push(decisionOf(draft, { state, origins, by: "monoco", ...at }));
  };
  for (const event of events) {
    const before = draftOf(state, event);
    evolve(state, event);
    if ((event.type === "relay.opened" || event.type === "relay.resumed") && event.origins)
      origins = event.origins;
    const { seq, atMs } = event;
    const isGiven = event.type === "review.decided" || event.type === "relay.resumed";
    add(before, isGiven ? event : { seq, atMs });
    const wait = waitOf(state, event.atMs);
    if (wait && wait.decision !== waiting) add(wait, event);
    waiting = wait?.decision ?? "";
  }
  add(nextOf(state, nowMs), { seq: state.seq, atMs: nowMs });
  return decisions;
}

function decisionOf(
  draft: Draft,
  at: {
    state: RelayState;
    origins: Readonly<Record<string, string>>;
    seq: number;
    atMs: number;
    by: string;
  },
): Decision {
  const { decision, numbers = [] } = draft;
  const { rule, because, settings } = tellingOf(draft);
  const keys = [...(draft.settings ?? []), ...settings];
  return {
    seq: at.seq,
    atMs: at.atMs,
    session: at.state.sessions.at(-1)?.session ?? 0,
    by: at.by,
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

/** The decision of an event, in the state before it; undefined for events that only report. */
function draftOf(state: RelayState, event: RelayEvent): Draft | undefined {
  return draftOfSession(state, event) ?? draftOfSubmission(state, event) ?? draftOfRelay(state, event);
}
