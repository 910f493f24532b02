/** Converts the context marks of the settings into tokens for an agent. */
import { contextTokensMax } from "../limits.ts";
import type { Limits } from "../settings/limits-schema.ts";

/**
 * The three context marks in tokens. A value up to 100 is percent of the window, capped by `contextTokensMax`; above 100 it is
 * tokens. No mark exceeds a later one, and all three shrink together if the last one exceeds
 * the agent's own stop (at least half of the window, since a reserve may exceed a small window).
 */
export function markTokens(
  marks: Limits["contextMarks"],
  agent: { windowTokens: number; reserveTokens: number },
): [number, number, number] {
  const { windowTokens, reserveTokens } = agent;
  const wanted = marks.map((mark, index) =>
    mark > 100 ? mark : Math.min((windowTokens * mark) / 100, contextTokensMax[index]!),
  );
  const ordered = wanted.map((_, index) => Math.min(...wanted.slice(index)));
  const reach = Math.max(windowTokens - reserveTokens, windowTokens / 2);
  const last = Math.max(reach, ordered[2]!);
  const [plan, wrapUp, stop] = ordered.map((tokens) => Math.max(1, Math.floor((tokens * reach) / last)));
  return [plan!, wrapUp!, stop!];
}
