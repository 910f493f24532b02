/** What a relay's policy is told beside its journal: who is installed, what other relays have used, and chance. */
import type { Around } from "../core/decide.ts";
import { installedPlayers } from "./choose-agent.ts";
import { settingsOf } from "./relay.ts";
import type { Relay } from "./relay.ts";

const hourMs = 60 * 60_000;

export function aroundOf(relay: Relay): Around {
  return {
    players: installedPlayers(relay, settingsOf(relay)),
    elsewhere: relay.spendings({ sinceMs: relay.nowMs() - hourMs, except: relay.issue }),
    jitter: relay.jitter,
  };
}
