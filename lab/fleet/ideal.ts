/** The ideal time of a backlog on some workers: list scheduling, by monoco's own order, without any time between an issue and the next. */
import { nextOf } from "../../src/core/backlog/backlog.ts";
import type { Progress, Work } from "../../src/core/backlog/backlog.ts";

/** What an issue takes, and whether those that need it can begin afterwards. */
export type Task = { seconds: number; isDone: boolean };

export function idealSeconds(
  works: readonly Work[],
  taskOf: (id: string) => Task | undefined,
  workers: number,
): number {
  const progress = new Map<string, Progress>();
  const running = new Map<string, number>();
  let now = 0;
  for (;;) {
    const step = nextOf(works, progress);
    if ("start" in step && running.size < workers) {
      running.set(step.start, now + (taskOf(step.start)?.seconds ?? 0));
      progress.set(step.start, "running");
      continue;
    }
    const [first] = [...running].toSorted(([, one], [, other]) => one - other);
    if (!first) return now;
    const [id, endsAt] = first;
    running.delete(id);
    progress.set(id, taskOf(id)?.isDone ? "done" : "failed");
    now = endsAt;
  }
}
