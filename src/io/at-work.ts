/** Work that is put off until an agent is at work, and the runner has nothing to do. */
import { attempt } from "../core/error/attempt.ts";

let waiting: (() => void) | undefined;

/** Calls `does` once, when the next agent is at work. What it throws is nobody's concern. Another that still waits is forgotten. */
export const onceAtWork = (does: () => void): void => void (waiting = does);

/** To be called when an agent is at work, and nothing waits for the runner. */
export function nowAtWork(): void {
  const does = waiting;
  waiting = undefined;
  if (does) attempt(does, undefined);
}
