/** What can wait until the runner waits itself: for the first agent that is at work. */
let waiting: (() => void) | undefined;

/** Calls `does` once, when the next agent is at work. Another that still waits is forgotten. */
export function onceAtWork(does: () => void): void {
  waiting = does;
}

/** To be called when an agent is at work, and nothing waits for the runner. */
export function nowAtWork(): void {
  const does = waiting;
  waiting = undefined;
  does?.();
}
