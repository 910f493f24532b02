/** Turns of the model that come to nothing, in a row: a hook that refuses every tool, or every end, would go on for ever. */
import { idleTurnsFactor } from "../limits.ts";
import { oneLine } from "../text/one-line.ts";
import type { AgentUpdate } from "./update.ts";

/** Since a tool's last success: the turns, the times of the last ones, how often something refused or failed, the last tool, and the last refusal in its own words. */
export type IdleTurns = {
  turns: number;
  atMs: readonly number[];
  refused: number;
  /** Turns in a row without a word or a tool; −1 where the next figures belong to a turn with one. */
  empty: number;
  /** Tools that are still running: Codex polls a long command without reporting that it does. */
  running: number;
  tool?: string;
  said?: string;
};

export const noIdleTurns: IdleTurns = { turns: 0, atMs: [], refused: 0, empty: -1, running: 0 };

/** After one more update; `keep`: the number of times that are looked at; `tellsTurns`: each figure of new tokens is a turn's. */
export function idleAfter(
  idle: IdleTurns,
  update: AgentUpdate,
  { nowMs, keep, tellsTurns }: { nowMs: number; keep: number; tellsTurns: boolean },
): IdleTurns {
  switch (update.type) {
    case "usage": {
      const isTurn = tellsTurns && idle.running === 0 && (update.newTokens ?? 0) > 0;
      const { turns, atMs, empty } = idle;
      return {
        ...idle,
        turns: turns + 1,
        atMs: [...atMs, nowMs].slice(-keep),
        empty: empty + (isTurn ? 1 : 0),
      };
    }
    case "message":
      return { ...idle, empty: -1 };
    case "tool":
      return { ...idle, tool: update.name, empty: -1, running: idle.running + 1 };
    case "command":
    case "result": {
      const running = Math.max(0, idle.running - 1);
      if (update.error === undefined) return { ...noIdleTurns, running };
      return { ...refusedBy(idle, update.error), running };
    }
    case "refused":
      return refusedBy(idle, update.error);
    default:
      return idle;
  }
}

function refusedBy(idle: IdleTurns, error: string): IdleTurns {
  return { ...idle, refused: idle.refused + 1, empty: -1, said: oneLine(error, saidCharsMax) };
}

const saidCharsMax = 300;

/** Whether something refused or failed about as often: an agent may report its usage several times a turn. */
export const isRefused = ({ turns, refused }: IdleTurns): boolean => refused * 2 >= turns;

/**
 * Whether there are too many, for a minute or in a row, of which about half were refused or empty: an agent may also look every few
 * seconds at a command that takes long.
 */
export function isIdle(idle: IdleTurns, nowMs: number, perMinute: number): boolean {
  const { turns, atMs, refused, empty } = idle;
  if ((refused + Math.max(0, empty)) * 2 < turns) return false;
  const lately = atMs.filter((at) => nowMs - at < 60_000);
  return lately.length > perMinute || turns > idleTurnsFactor * perMinute;
}
