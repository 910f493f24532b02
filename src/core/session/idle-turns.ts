/** Turns of the model that come to nothing, in a row: a hook that refuses every tool, or every end, would go on for ever. */
import { idleTurnsFactor } from "../limits.ts";
import { oneLine } from "../text/one-line.ts";
import type { AgentUpdate } from "./update.ts";

/** Since a tool's last success: the turns, the times of the last ones, how often something refused or failed, the last tool, and the last refusal in its own words. */
export type IdleTurns = {
  turns: number;
  atMs: readonly number[];
  refused: number;
  tool?: string;
  said?: string;
};

export const noIdleTurns: IdleTurns = { turns: 0, atMs: [], refused: 0 };

/** After one more update; `keep`: the number of times that are looked at. */
export function idleAfter(
  idle: IdleTurns,
  update: AgentUpdate,
  { nowMs, keep }: { nowMs: number; keep: number },
): IdleTurns {
  switch (update.type) {
    case "usage":
      return { ...idle, turns: idle.turns + 1, atMs: [...idle.atMs, nowMs].slice(-keep) };
    case "tool":
      return { ...idle, tool: update.name };
    case "command":
    case "result":
      if (update.error === undefined) return noIdleTurns;
      return { ...idle, refused: idle.refused + 1, said: oneLine(update.error, saidCharsMax) };
    default:
      return idle;
  }
}

const saidCharsMax = 300;

/**
 * Whether there are too many, for a minute or in a row. Something has to refuse or fail about as often: an agent may report its
 * usage several times a turn, or look every few seconds at a command that takes long.
 */
export function isIdle({ turns, atMs, refused }: IdleTurns, nowMs: number, perMinute: number): boolean {
  if (refused * 2 < turns) return false;
  const lately = atMs.filter((at) => nowMs - at < 60_000);
  return lately.length > perMinute || turns > idleTurnsFactor * perMinute;
}
