/** A relay driven by its own decisions: each is journaled by the code that the runner uses; only how sessions end is made up. */
import { decide } from "../../../src/core/relay/decide.ts";
import type { Action } from "../../../src/core/relay/action.ts";
import { decisionEvent } from "../../../src/core/relay/decision-event.ts";
import type { RelayEvent } from "../../../src/core/journal/event.ts";
import { evolve, replay } from "../../../src/core/journal/state.ts";
import type { RelayState } from "../../../src/core/journal/relay-state.ts";
import { append, handoff, started } from "./relays.ts";
import type { Step } from "./relays.ts";

export type Driven = {
  events: RelayEvent[];
  state: RelayState;
  /** The decision that was reached when all was played. */
  last: Action;
  nowMs: number;
};

/** Decisions until every relay of these tests has come to something. */
const decisionsMax = 200;

/**
 * Plays `steps`; then each session that is decided on is one of `sessions` (what follows its start, without its handoff),
 * until they are used up, or until the relay rests.
 */
export function drive(steps: readonly Step[], sessions: readonly (readonly Step[])[]): Driven {
  const driven: Driven = {
    events: [],
    state: replay([]),
    last: { do: "wait", untilMs: 0, reason: { rule: "no_relay" } },
    nowMs: 0,
  };
  const play = (played: readonly Step[]): void => {
    for (const step of played) {
      if (typeof step === "number") driven.nowMs += step;
      else
        for (const body of [step(driven.state)].flat())
          evolve(driven.state, append(driven.events, body, driven.nowMs));
    }
  };
  play(steps);
  const left = [...sessions];
  for (let decisions = 0; decisions < decisionsMax; decisions += 1) {
    const action = decide(driven.state, driven.state.opening!.settings.limits, driven.nowMs);
    driven.last = action;
    if (action.do === "wait") {
      if (left.length === 0) return driven;
      driven.nowMs = action.untilMs;
    } else if (action.do === "change_breaker" || action.do === "limit_rate" || action.do === "block") {
      const body = decisionEvent(action);
      play([() => body]);
    } else if (action.do === "hand_over") play([handoff]);
    else if (action.do === "start") {
      const session = left.shift();
      if (!session) return driven;
      play([started(action.role, action.agents[0]), ...session]);
    } else return driven;
  }
  throw new Error("the relay goes on for ever");
}
