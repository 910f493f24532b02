/** The event of a decision whose only effect is to be recorded. */
import type { Action } from "./action.ts";
import type { EventOf } from "../journal/event.ts";

type Recorded = Extract<Action, { do: "change_breaker" | "limit_rate" | "block" }>;

/** The event for `action`; performing such an action means only recording it. */
export function decisionEvent(
  action: Recorded,
): EventOf<"breaker.changed"> | EventOf<"rate.limited"> | EventOf<"relay.blocked"> {
  if (action.do === "change_breaker") {
    const { do: _, ...change } = action;
    return { type: "breaker.changed", ...change };
  }
  if (action.do === "limit_rate") {
    const { do: _, ...full } = action;
    return { type: "rate.limited", ...full };
  }
  const { do: _, ...block } = action;
  return { type: "relay.blocked", ...block };
}
