/** What the next step is now: the policy, told what stands in no journal of this relay: who is installed, what others have used, chance. */
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

/** What a session that starts now may use. */
export function allowanceNow(relay: Relay): Omit<Amounts, "sessions"> {
  return allowance(relay.state, { elsewhere: elsewhere(relay), run: relay.run.id, nowMs: relay.nowMs() });
}

const dayMs = 24 * 60 * 60_000;

/** Of a day, or of the run, whichever is longer: nothing older is counted. */
function elsewhere(relay: Relay): Spending[] {
  const sinceMs = Math.min(relay.nowMs() - dayMs, relay.run.startedAtMs);
  return relay.spendings({ sinceMs, except: relay.issue });
}
