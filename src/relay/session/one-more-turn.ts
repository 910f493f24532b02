/** Continues the conversation of an ended session for one turn, with a time limit; the turn stops with the run. */
import { termGraceMs } from "../../core/limits.ts";
import type { Answer } from "../../agents/agent.ts";
import { see } from "../../core/session/observations.ts";
import type { Seen } from "../../core/session/observations.ts";
import { startAgent } from "./launch.ts";
import type { Starting } from "./launch.ts";
import type { Relay } from "../relay.ts";

/** `seen` with the figures and words of this turn; the turn's ending does not count. */
export async function oneMoreTurn(
  relay: Relay,
  starting: Starting,
  turn: { prompt: string; seen: Seen; msMax: number; answer?: Answer },
): Promise<Seen> {
  let { seen } = turn;
  // Not every agent takes the id that it is given; the id that it reported is used first.
  const agentSessionId = seen.agentSessionId ?? starting.agentSessionId;
  const child = startAgent(
    relay,
    { ...starting, agentSessionId },
    {
      ...turn,
      resume: true,
      onUpdates: (updates) => {
        for (const update of updates) {
          if (update.type === "ended") child.endInput();
          else seen = see(seen, update);
        }
      },
      onFlood: () => void child.stop(termGraceMs),
    },
  );
  const timer = setTimeout(() => void child.stop(termGraceMs), turn.msMax);
  const interrupted = (): void => void child.stop(0);
  relay.control.interrupt.addEventListener("abort", interrupted);
  await child.exited;
  relay.control.interrupt.removeEventListener("abort", interrupted);
  clearTimeout(timer);
  return seen;
}
