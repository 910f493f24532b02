/** The time as a relay knows it: what it is, and waiting for it to pass. Tests bring their own. */
export type Clock = {
  nowMs(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
};

/**
 * The time of the wall, but never less than has passed since this was called: where somebody sets the clock back, what was
 * waited for still comes when it would have come. `monotonicMs` only ever grows; both are in milliseconds.
 */
export function steadyNow(wallMs: () => number, monotonicMs: () => number): () => number {
  const aheadMs = wallMs() - monotonicMs();
  return () => Math.max(wallMs(), Math.floor(monotonicMs() + aheadMs));
}

export const systemClock: Clock = {
  nowMs: steadyNow(
    () => Date.now(),
    // `performance` would load more of Node's own modules.
    () => Number(process.hrtime.bigint() / 1_000_000n),
  ),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (ms <= 0 || signal.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done);
    }),
};
