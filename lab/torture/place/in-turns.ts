/** Cases that are real processes: as many at once as the machine has cores, at most four. */
import { availableParallelism } from "node:os";

/** More would be slower on no machine that was tried, and late on a busy one. */
const jobsMax = 4;

export async function inTurns<T>(cases: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...cases];
  const worker = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await run(one);
  };
  await Promise.all(Array.from({ length: Math.min(jobsMax, availableParallelism()) }, worker));
}
