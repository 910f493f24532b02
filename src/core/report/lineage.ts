/** Lineage: the merge that brought a commit to the base, and the session that made it. */
import { issueIdPattern } from "../issue/name.ts";
import type { SessionRecord } from "../journal/relay-state.ts";

/** Each commit with its parents, a part of the history. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** A commit whose message has the trailers of a landing: what they say of it. */
export type Landing = {
  commit: string;
  parents: readonly string[];
  issue: string;
  title: string;
  submission: number;
  /** The submitted commit. */
  head: string;
  executor?: string;
  reviewer?: string;
};

/** The landing in a commit; undefined for any other commit. */
export function landingIn(commit: string, parents: readonly string[], message: string): Landing | undefined {
  const trailer = (name: string): string | undefined => {
    const found = message.matchAll(new RegExp(`^Monoco-${name}: (.+)$`, "gm"));
    return [...found].at(-1)?.[1]?.trim();
  };
  const [, number = "", head = ""] = /^(\d{1,9}) ([0-9a-f]{40,64})$/.exec(trailer("Submission") ?? "") ?? [];
  const issue = trailer("Issue");
  if (head === "" || issue === undefined || !issueIdPattern.test(issue)) return undefined;
  const [subject = ""] = message.split("\n");
  const [executor, reviewer] = [trailer("Executor"), trailer("Reviewer")];
  return {
    commit,
    parents,
    issue,
    title: subject.replace(`${issue}: `, ""),
    submission: Number(number),
    head,
    ...(executor === undefined ? {} : { executor }),
    ...(reviewer === undefined ? {} : { reviewer }),
  };
}

/** The landing that brought each commit; a commit that the base had before all of them has none. `landings` begin with the oldest. */
export function broughtBy(graph: Graph, landings: readonly Landing[]): Map<string, Landing> {
  const seen = new Set<string>();
  const brought = new Map<string, Landing>();
  for (const landing of landings) {
    const { commit: own, head, parents } = landing;
    // What it was put onto came otherwise.
    walk(
      graph,
      parents.filter((parent) => parent !== head),
      seen,
    );
    for (const commit of walk(graph, [head], seen)) brought.set(commit, landing);
    if (seen.has(own)) continue;
    seen.add(own);
    brought.set(own, landing);
  }
  return brought;
}

/** A commit that a session may have made. */
export type Made = { commit: string; committedAtS: number };

/** The Executor's session that made each commit. One that is older than its session was made by somebody else. */
export function madeBy(
  graph: Graph,
  commits: readonly Made[],
  sessions: readonly SessionRecord[],
): Map<string, SessionRecord> {
  const wanted = new Map(commits.map(({ commit, committedAtS }) => [commit, committedAtS]));
  const seen = new Set<string>();
  const made = new Map<string, SessionRecord>();
  for (const session of sessions) {
    if (session.role !== "executor" || !session.ended) continue;
    // What people committed before it is not its own.
    walk(graph, [session.started.head], seen);
    for (const commit of walk(graph, [session.ended.head], seen)) {
      const atS = wanted.get(commit);
      if (atS !== undefined && atS >= Math.floor(session.startedAtMs / 1000)) made.set(commit, session);
    }
  }
  return made;
}

/** The commits that the tips lead to, within the graph, without those that were seen; they are seen then. */
function walk(graph: Graph, tips: readonly string[], seen: Set<string>): string[] {
  const waiting = [...tips];
  const found: string[] = [];
  for (let commit = waiting.pop(); commit !== undefined; commit = waiting.pop()) {
    const parents = seen.has(commit) ? undefined : graph.get(commit);
    if (!parents) continue;
    seen.add(commit);
    found.push(commit);
    waiting.push(...parents);
  }
  return found;
}
