/** The refs of a relay in the person's repository, and those of an earlier relay, set aside. */
import type { Git } from "./git.ts";
import { commitOf, moveRef, moveRefs } from "./repository.ts";

/** Refs of one relay in the person's repository. */
export const refs = {
  head: (issue: string) => `refs/monoco/${issue}/head`,
  /** The base as its clones have it: they borrow its objects. */
  base: (issue: string) => `refs/monoco/${issue}/base`,
  submission: (issue: string, n: number) => `refs/monoco/${issue}/submissions/${n}`,
  /** The merge that is checked, and confirmed. */
  merging: (issue: string) => `refs/monoco/${issue}/merging`,
  journal: (issue: string) => `refs/monoco/${issue}/journal`,
  /** What was last pushed of its branch. */
  pushed: (issue: string) => `refs/monoco/${issue}/pushed`,
  parked: (issue: string) => `refs/monoco/${issue}/parked`,
  session: (issue: string, n: number) => `refs/monoco/${issue}/sessions/${n}`,
  wip: (issue: string, n: number) => `refs/monoco/${issue}/sessions/${n}/wip`,
  /** What a person's own session handed over, until a relay takes it up. */
  handedOver: (issue: string) => `refs/monoco/${issue}/handed-over`,
};

/** What a relay begins at; `held`: the base's commit, where its clones borrow it. */
export type Start = { baseCommit: string; held: boolean; atMs: number };

/** Starts the relay's refs at the base's commit; an earlier relay's head is kept under a ref of its own. */
export async function startRefs(git: Git, issue: string, { baseCommit, held, atMs }: Start): Promise<void> {
  const before = await commitOf(git, refs.head(issue));
  const moves = [
    ...(before ? [{ ref: `refs/monoco/${issue}/earlier/${atMs}`, to: before }] : []),
    { ref: refs.head(issue), to: baseCommit },
    ...(held ? [{ ref: refs.base(issue), to: baseCommit }] : []),
  ];
  if (await moveRefs(git, moves)) return;
  // One by one git says which of them it cannot move, and why.
  for (const { ref, to } of moves) await moveRef(git, ref, to);
}

/** Where a journal was lost, its sessions' refs are in the way of new ones with the same numbers: they are set aside. */
export async function setSessionsAside(git: Git, issue: string, atMs: number): Promise<void> {
  const listed = await git([
    "for-each-ref",
    "--format=%(refname) %(objectname)",
    `refs/monoco/${issue}/sessions`,
    `refs/monoco/${issue}/submissions`,
    refs.journal(issue),
  ]);
  for (const line of listed.split("\n").filter(Boolean)) {
    const [ref = "", commit = ""] = line.split(" ");
    await moveRef(
      git,
      ref.replace(`refs/monoco/${issue}/`, `refs/monoco/${issue}/lost-journal-${atMs}/`),
      commit,
    );
    await git(["update-ref", "-d", ref, commit]);
  }
}
