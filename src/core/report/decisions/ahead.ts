/** Decisions that no event records: a wait, and the next step. */
import { timeOf } from "../../text/figures.ts";
import type { RelayState } from "../../journal/relay-state.ts";
import { named } from "../../language/names.ts";
import { t } from "../../language/translate.ts";
import { positionWords } from "../../reason/breaker-rows.ts";
import { decide } from "../../relay/decide.ts";
import { gauges } from "../limits-used.ts";
import { coolDown } from "./cool-down.ts";
import type { Draft } from "./draft.ts";

export function waitOf(state: RelayState, atMs: number): Draft | undefined {
  const { opening } = state;
  if (!opening) return undefined;
  const action = decide(state, opening.settings.limits, atMs);
  if (action.do !== "wait") return undefined;
  const { reason, untilMs } = action;
  const { breaker } = opening;
  const open = breaker?.untilMs === untilMs ? coolDown(state, breaker) : [];
  return { decision: t`wait until ${timeOf(untilMs, atMs)}`, reason, numbers: open };
}

export function nextOf(state: RelayState, nowMs: number): Draft | undefined {
  const { opening } = state;
  if (!opening || opening.halted || opening.merged || opening.cleared) return undefined;
  const action = decide(state, opening.settings.limits, nowMs);
  // A session is running, or its end is not yet handled.
  if (["rest", "recover", "hand_over", "accept"].includes(action.do)) return undefined;
  return {
    decision: t`next: ${action.do === "change_breaker" ? positionWords[action.to]() : named(action.do.replaceAll("_", " "))}`,
    reason: action.reason,
    numbers: gauges(state),
  };
}
