/** The clock of a relay, with `sleep`. Tests use their own. */
export type Clock = {
  nowMs(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
};

/**
 * Returns wall-clock time that never falls behind the monotonic time passed since the first reading: if somebody sets the clock
 * back, waits still end on time. Both clocks are in ms.
 */
export function steadyNow(wallMs: () => number, monotonicMs: () => number): () => number {
  const aheadMs = wallMs() - monotonicMs();
  return () => Math.max(wallMs(), Math.floor(monotonicMs() + aheadMs));
}

export const systemClock: Clock = {
  nowMs: steadyNow(
    () => Date.now(),
    // hrtime does not load further modules of Node, as `performance` would.
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
