/** The backlog as a graph: the order in which issues run, the issues that one waits for, and circles that never end. */

import type { Issue } from "../issue/issue.ts";
import { rankOf } from "../issue/priority.ts";

/** The fields of an issue that decide when it runs. */
export type Work = {
  id: string;
  priority?: string | undefined;
  /** Its rank where a person named it on the command line, which goes before its priority. */
  place?: number;
  /** Ids of issues that must be done first: its dependencies, and its open children. */
  needs: readonly string[];
  /** `dropped`: closed without being done, so that its dependents would wait for ever. */
  stands: "open" | "done" | "dropped";
};

type WorkIssue = Pick<Issue, "id" | "status" | "solution" | "priority" | "parent" | "dependencies">;

/** The issues as works: each waits for its dependencies and its open children. */
export function worksOf(issues: readonly WorkIssue[]): Work[] {
  const children = new Map<string, string[]>();
  for (const { id, parent, status } of issues) {
    if (parent === undefined || status === "closed") continue;
    const others = children.get(parent);
    if (others) others.push(id);
    else children.set(parent, [id]);
  }
  return issues.map((issue) => {
    const needs = [...new Set([...issue.dependencies, ...(children.get(issue.id) ?? [])])];
    return { id: issue.id, priority: issue.priority, needs, stands: standsOf(issue) };
  });
}

/** The works by id. Of two works with one id the first counts, as in lists. */
export function byId(works: readonly Work[]): Map<string, Work> {
  const worksById = new Map<string, Work>();
  for (const work of works) if (!worksById.has(work.id)) worksById.set(work.id, work);
  return worksById;
}

/** The standing of an issue; a closed issue of an old tree has no solution and counts as done. */
function standsOf({ status, solution = "implemented" }: WorkIssue): Work["stands"] {
  if (status !== "closed") return "open";
  return solution === "implemented" ? "done" : "dropped";
}

/** The progress of an issue in a run; `failed` is any end but done. */
export type Progress = "waiting" | "running" | "done" | "failed";

/** The next step: `start` an issue, `wait` for a running one, or stop, where `blocked` issues wait for others. */
export type Next = { start: string } | { wait: true } | { blocked: { id: string; by: string[] }[] };

/** The next step of `backlog`; `progress` has the issues that the run has begun or finished. */
export function nextOf(backlog: readonly Work[], progress: ReadonlyMap<string, Progress>): Next {
  const standing = (id: string): Progress => progress.get(id) ?? "waiting";
  const done = new Set(backlog.flatMap(({ id, stands }) => (stands === "done" ? [id] : [])));
  const open = backlog.filter(({ id, stands }) => stands === "open" && standing(id) === "waiting");
  const missing = (work: Work): string[] =>
    work.needs.filter((id) => !done.has(id) && standing(id) !== "done");
  const ready = open.filter((work) => missing(work).length === 0);
  if (ready.length > 0)
    return { start: ready.reduce((first, work) => (byPriority(work, first) < 0 ? work : first)).id };
  if ([...progress.values()].includes("running")) return { wait: true };
  return { blocked: open.map((work) => ({ id: work.id, by: missing(work) })) };
}

/** The needs that are not done: `open` ones may be, `dropped` ones never will, `unknown` ids have no issue. */
export type Missing = { open: string[]; dropped: string[]; unknown: string[] };

export function missingOf(backlog: ReadonlyMap<string, Work>, work: Work): Missing {
  return {
    open: work.needs.filter((id) => backlog.get(id)?.stands === "open"),
    dropped: work.needs.filter((id) => backlog.get(id)?.stands === "dropped"),
    unknown: work.needs.filter((id) => !backlog.has(id)),
  };
}

/** The issues that must be done for `id`, each after its needs, `id` last. Each issue of a circle comes once. */
export function pathTo(backlog: ReadonlyMap<string, Work>, id: string): string[] {
  const path = new Set<string>();
  const seen = new Set<string>();
  const visit = (at: string): void => {
    const work = backlog.get(at);
    if (!work || work.stands !== "open" || seen.has(at)) return;
    seen.add(at);
    work.needs.forEach(visit);
    path.add(at);
  };
  visit(id);
  return [...path];
}

/** The shortest circle of open issues through `id`, with `id` at both ends; undefined if there is none. */
export function circleThrough(
  backlog: ReadonlyMap<string, Pick<Work, "stands" | "needs">>,
  id: string,
): string[] | undefined {
  const needs = (at: string): readonly string[] => {
    const work = backlog.get(at);
    return work?.stands === "open" ? work.needs : [];
  };
  const cameFrom = new Map<string, string>();
  const queue = [id];
  // The loop also visits the elements that it appends to the queue.
  for (const at of queue) {
    for (const next of needs(at)) {
      if (next === id) return [...wayBack(cameFrom, at, id), id];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      queue.push(next);
    }
  }
  return undefined;
}

function wayBack(cameFrom: ReadonlyMap<string, string>, end: string, start: string): string[] {
  const way = [end];
  while (way[0] !== start) way.unshift(cameFrom.get(way[0]!)!);
  return way;
}

/** Those that a person has named come in the order of their names, then urgent ones, then older ones. */
export function byPriority(one: Work, other: Work): number {
  return (
    (one.place ?? 0) - (other.place ?? 0) ||
    rankOf(one.priority) - rankOf(other.priority) ||
    (one.id < other.id ? -1 : 1)
  );
}
