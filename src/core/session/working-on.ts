/** The subject of a session's work: from its handoff in the agent's words, or else from the files that it changed. */
import type { StopReason } from "../journal/event.ts";
import { sentences } from "../language/handoff-words.ts";
import type { Language } from "../language/handoff-words.ts";

/** Stop reasons that a session chose, or that left it time to hand over. */
const inGoodOrder: ReadonlySet<StopReason> = new Set([
  "submitted",
  "handed_over",
  "question",
  "completed_without_submit",
]);

export function workingOnOf(
  left: { written: string; reason: StopReason; uncommitted: readonly string[]; files: readonly string[] },
  language: Language,
): string {
  const { written, reason, uncommitted, files } = left;
  const place = written || (uncommitted[0] ?? files.at(-1));
  return place || sentences[inGoodOrder.has(reason) ? "placeNotNamed" : "unknownPlace"][language]();
}
