/** Work that is put off until an agent is at work, and the runner has nothing to do. */
let waiting: (() => void) | undefined;

/** Calls `does` once, when the next agent is at work. Another that still waits is forgotten. */
export const onceAtWork = (does: () => void): void => void (waiting = does);

/** To be called when an agent is at work, and nothing waits for the runner. Throws what the work throws. */
export function nowAtWork(): void {
  const does = waiting;
  waiting = undefined;
  does?.();
}
