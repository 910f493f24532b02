/** Decides a relay's next step with facts that its journal does not hold: installed agents, other relays' spending, and chance. */
import { isOnBase } from "../git/landing.ts";
import { allowance } from "../core/relay/budget.ts";
import type { Amounts } from "../core/relay/budget.ts";
import { commitElsewhere } from "../core/relay/phase.ts";
import { decide } from "../core/relay/decide.ts";
import type { Action, Around } from "../core/relay/action.ts";
import type { Spending } from "../core/relay/spending.ts";
import { installedPlayers } from "./choose-agent.ts";
import { limitsOf, settingsOf } from "./relay.ts";
import type { Relay } from "./relay.ts";
import { learnLimits } from "./suspensions.ts";

export async function decideNow(relay: Relay): Promise<Action> {
  if (!relay.state.opening) return { do: "rest", phase: "none", reason: { rule: "no_relay" }, hint: [] };
  learnLimits(relay);
  const around: Around = {
    players: installedPlayers(relay, settingsOf(relay)),
    elsewhere: elsewhere(relay),
    run: relay.run.id,
    jitter: relay.jitter,
    takenOver: await isTakenOver(relay),
  };
  return decide(relay.state, limitsOf(relay), relay.nowMs(), around);
}

async function isTakenOver({ state, repository }: Relay): Promise<boolean> {
  const commit = commitElsewhere(state.opening);
  return commit !== undefined && isOnBase(repository.git, state.opening?.base ?? "", commit);
}

/** The amounts that a session which starts now may use. */
export function allowanceNow(relay: Relay): Omit<Amounts, "sessions"> {
  return allowance(relay.state, { elsewhere: elsewhere(relay), run: relay.run.id, nowMs: relay.nowMs() });
}

const dayMs = 24 * 60 * 60_000;

/** Spending of other relays within the last day or since this run began, whichever is longer. */
function elsewhere(relay: Relay): Spending[] {
  const sinceMs = Math.min(relay.nowMs() - dayMs, relay.run.startedAtMs);
  return relay.spendings({ sinceMs, except: relay.issue });
}
