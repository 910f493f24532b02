/** CPU time of this thread, ms: floods are timed by it, so that a busy machine makes no test fail. */
export function cpuMs(): number {
  // Node 22 has none; there the clock has to do.
  const measure: typeof process.threadCpuUsage | undefined = process.threadCpuUsage;
  if (!measure) return performance.now();
  const { user, system } = measure();
  return (user + system) / 1000;
}
