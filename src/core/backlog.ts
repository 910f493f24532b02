/** The backlog as work: in which order issues are run, by their dependencies first and their priority then. */
import { MonocoError } from "./error.ts";

/** What of an issue matters here. `done`: closed as implemented. */
export type Work = {
  id: string;
  priority?: string | undefined;
  dependencies: readonly string[];
  done: boolean;
};

/** How far a run has come with an issue; `failed` is any end but done. */
export type Progress = "waiting" | "running" | "done" | "failed";

/** `start` it, `wait` for one that is running, or nothing is left: `blocked` are those whose dependencies keep them. */
export type Next = { start: string } | { wait: true } | { blocked: { id: string; by: string[] }[] };

/** Words for priorities, the most urgent first, as trackers have them; anything else stands in the middle. */
const priorities = [
  ["critical", "urgent", "highest", "p0"],
  ["high", "p1"],
  ["medium", "normal", "p2"],
  ["low", "p3"],
  ["lowest", "trivial", "p4"],
];

/** What to do next with `backlog`, of which `progress` tells what is no longer waiting. Throws `input` for a cycle, which it shows. */
export function nextOf(backlog: readonly Work[], progress: ReadonlyMap<string, Progress>): Next {
  const cycle = cycleIn(backlog);
  if (cycle) {
    throw new MonocoError("input", `these issues wait for each other: ${cycle.join(" → ")}`, {
      hint: "take one of them out of the other's dependencies",
    });
  }
  const standing = (id: string): Progress => progress.get(id) ?? "waiting";
  const open = backlog.filter(({ id, done }) => !done && standing(id) === "waiting");
  const missing = (work: Work): string[] =>
    work.dependencies.filter(
      (id) => !backlog.some((one) => one.id === id && one.done) && standing(id) !== "done",
    );
  const ready = open.filter((work) => missing(work).length === 0).toSorted(byPriority);
  const [first] = ready;
  if (first) return { start: first.id };
  if ([...progress.values()].includes("running")) return { wait: true };
  return { blocked: open.map((work) => ({ id: work.id, by: missing(work) })) };
}

function byPriority(one: Work, other: Work): number {
  return rankOf(one) - rankOf(other) || (one.id < other.id ? -1 : 1);
}

function rankOf({ priority = "" }: Work): number {
  const rank = priorities.findIndex((words) => words.includes(priority.toLowerCase()));
  return rank < 0 ? 2 : rank;
}

/** The ids of a circle of dependencies, its first again at the end; undefined where there is none. */
function cycleIn(backlog: readonly Work[]): string[] | undefined {
  const of = new Map(backlog.map((work) => [work.id, work]));
  const clear = new Set<string>();
  const follow = (id: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    const work = of.get(id);
    if (!work || work.done || clear.has(id)) return undefined;
    for (const dependency of work.dependencies) {
      const found = follow(dependency, [...path, id]);
      if (found) return found;
    }
    clear.add(id);
    return undefined;
  };
  for (const { id } of backlog) {
    const found = follow(id, []);
    if (found) return found;
  }
  return undefined;
}
