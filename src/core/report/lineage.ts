/** Lineage: the merge that brought a commit to the base, and the session that made it. */
import { issueIdPattern } from "../issue/name.ts";
import type { RelayEvent } from "../journal/event.ts";
import { emptyState } from "../journal/relay-state.ts";
import type { RelayState, SessionRecord } from "../journal/relay-state.ts";
import { evolve } from "../journal/state.ts";
import { workBefore } from "../relay/work-before.ts";
import type { WorkBefore } from "../relay/work-before.ts";

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

/** The landing that brought each commit; a commit that the base had before all of them has none. In the graph, children come first. */
export function broughtBy(graph: Graph, landings: readonly Landing[]): Map<string, Landing> {
  const seen = new Set<string>();
  const brought = new Map<string, Landing>();
  const byCommit = new Map(landings.map((landing) => [landing.commit, landing]));
  for (const landing of [...graph.keys()].toReversed().flatMap((commit) => byCommit.get(commit) ?? [])) {
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

/** What the sessions of a relay made. */
export type Work = {
  title: string;
  /** The Executor's session that made each commit, or left it as its uncommitted work. */
  made: ReadonlyMap<string, SessionRecord>;
  /** The parents of the commits that took up uncommitted work, with that work as the last one; and those of that work. */
  parents: ReadonlyMap<string, readonly string[]>;
};

export function workIn(graph: Graph, events: readonly RelayEvent[]): Work {
  const { state, begun } = begunWith(events);
  const { sessions, opening } = state;
  const seen = new Set<string>();
  const made = new Map<string, SessionRecord>();
  const parents = new Map<string, readonly string[]>();
  for (const session of sessions) {
    if (session.role !== "executor" || !session.ended) continue;
    const before = begun.get(session.session);
    // What people committed before it is not its own, nor is what it found uncommitted.
    walk(graph, [session.started.head, ...(before?.wip ? [before.wip] : [])], seen);
    const own = walk(graph, [session.ended.head], seen);
    for (const commit of own) made.set(commit, session);
    if (before?.wip === undefined) continue;
    const { wip, head } = before;
    const leftBy = sessions.find((one) => one.session === before.session);
    const earlier = begun.get(before.session)?.wip;
    for (const commit of own) parents.set(commit, [...graph.get(commit)!, wip]);
    parents.set(wip, earlier === undefined ? [head] : [head, earlier]);
    if (leftBy) made.set(wip, leftBy);
  }
  return { title: opening?.title ?? "", made, parents };
}

/** The state, and the work that each session began with. */
function begunWith(events: readonly RelayEvent[]): {
  state: RelayState;
  begun: ReadonlyMap<number, WorkBefore | undefined>;
} {
  const state = emptyState();
  const begun = new Map<number, WorkBefore | undefined>();
  for (const event of events) {
    if (event.type === "session.started" && state.opening)
      begun.set(event.session, workBefore(state.opening));
    evolve(state, event);
  }
  return { state, begun };
}

/** Whether the commit is not older than the session: an older one was made by somebody else, and merged in. */
export const isSince = ({ startedAtMs }: SessionRecord, committedAtS: number): boolean =>
  committedAtS >= Math.floor(startedAtMs / 1000);

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
