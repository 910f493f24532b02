/** The backlog as work: in which order issues are run, what keeps one from being begun, and the circles that never end. */

import type { Issue } from "../issue/issue.ts";
import { rankOf } from "../issue/priority.ts";

/** What of an issue matters here. */
export type Work = {
  id: string;
  priority?: string | undefined;
  /** Where a person named it; that goes before its priority. */
  place?: number;
  /** What has to be done before it: its dependencies, and the open issues whose parent it is. */
  needs: readonly string[];
  /** `dropped`: closed without being done, so what waits for it would wait for ever. */
  stands: "open" | "done" | "dropped";
};

type WorkIssue = Pick<Issue, "id" | "status" | "solution" | "priority" | "parent" | "dependencies">;

/** An issue waits for its dependencies, and a parent for its children that are not closed. */
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

/** The works by id; of two with one id the first, as lists show them. */
export function byId(works: readonly Work[]): Map<string, Work> {
  const found = new Map<string, Work>();
  for (const work of works) if (!found.has(work.id)) found.set(work.id, work);
  return found;
}

/** Old trees close without a solution: that is taken for done. */
function standsOf({ status, solution = "implemented" }: WorkIssue): Work["stands"] {
  if (status !== "closed") return "open";
  return solution === "implemented" ? "done" : "dropped";
}

/** How far a run has come with an issue; `failed` is any end but done. */
export type Progress = "waiting" | "running" | "done" | "failed";

/** `start` it, `wait` for one that is running, or nothing is left: `blocked` are those whose needs keep them. */
export type Next = { start: string } | { wait: true } | { blocked: { id: string; by: string[] }[] };

/** What to do next with `backlog`, where `progress` says what no longer waits. */
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

/** What of its needs is not done, sorted by what can come of it. */
export type Missing = { open: string[]; dropped: string[]; unknown: string[] };

export function missingOf(backlog: ReadonlyMap<string, Work>, work: Work): Missing {
  return {
    open: work.needs.filter((id) => backlog.get(id)?.stands === "open"),
    dropped: work.needs.filter((id) => backlog.get(id)?.stands === "dropped"),
    unknown: work.needs.filter((id) => !backlog.has(id)),
  };
}

/** All that has to be done for `id`, itself at the end: each after what it needs. Of a circle, each once. */
export function pathTo(backlog: ReadonlyMap<string, Work>, id: string): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (at: string): void => {
    const work = backlog.get(at);
    if (!work || work.stands !== "open" || seen.has(at)) return;
    seen.add(at);
    work.needs.forEach(visit);
    found.add(at);
  };
  visit(id);
  return [...found];
}

/** The shortest circle in which open issues wait for `id` and it for them, `id` at both ends; undefined where there is none. */
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
  // What is pushed meanwhile is looked at, too.
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

function byPriority(one: Work, other: Work): number {
  return (
    (one.place ?? 0) - (other.place ?? 0) ||
    rankOf(one.priority) - rankOf(other.priority) ||
    (one.id < other.id ? -1 : 1)
  );
}
