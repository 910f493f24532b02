/** Turns of the model that come to nothing, in a row: a hook that refuses every tool, or every end, would go on for ever. */
import { idleTurnsFactor } from "../limits.ts";
import { oneLine } from "../text/one-line.ts";
import type { AgentUpdate } from "./update.ts";

/** The times of the turns since a tool's last result, the last tool, and what refused or failed last, in its own words. */
export type IdleTurns = { atMs: readonly number[]; tool?: string; said?: string };

/** After one more update. An agent that does not report the results of its tools (`isOwn`) gets on with whatever it says and does. */
export function idleAfter(
  idle: IdleTurns,
  update: AgentUpdate,
  { nowMs, isOwn }: { nowMs: number; isOwn: boolean },
): IdleTurns {
  switch (update.type) {
    case "usage":
      return { ...idle, atMs: [...idle.atMs, nowMs] };
    case "tool":
      return isOwn ? { atMs: [] } : { ...idle, tool: update.name };
    case "message":
      return isOwn ? { atMs: [] } : idle;
    case "command":
    case "result":
      if (isOwn || update.error === undefined) return { atMs: [] };
      return { ...idle, said: oneLine(update.error, saidCharsMax) };
    default:
      return idle;
  }
}

const saidCharsMax = 300;

/** Whether there are too many, for a minute or in a row. */
export function isIdle({ atMs }: IdleTurns, nowMs: number, perMinute: number): boolean {
  const lately = atMs.filter((at) => nowMs - at < 60_000);
  return lately.length > perMinute || atMs.length > idleTurnsFactor * perMinute;
}
