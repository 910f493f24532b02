/** Names and moves a relay's refs in the person's repository; sets the refs of an earlier relay aside. */
import { gitDirsBelow } from "./folders.ts";
import { gitAt } from "./git.ts";
import type { Git } from "./git.ts";
import { commitOf, moveRef, moveRefs } from "./repository.ts";

/** Refs of one relay in the person's repository. */
export const refs = {
  head: (issue: string) => `refs/monoco/${issue}/head`,
  /** The base's commit in the relay's clones, which borrow its objects. */
  base: (issue: string) => `refs/monoco/${issue}/base`,
  /** The remote-tracking branches in the relay's clones. */
  remotes: (issue: string) => `refs/monoco/${issue}/remotes`,
  submission: (issue: string, n: number) => `refs/monoco/${issue}/submissions/${n}`,
  /** The merge commit that is checked and confirmed. */
  merging: (issue: string) => `refs/monoco/${issue}/merging`,
  journal: (issue: string) => `refs/monoco/${issue}/journal`,
  /** The commit of the relay's branch that was last pushed. */
  pushed: (issue: string) => `refs/monoco/${issue}/pushed`,
  parked: (issue: string) => `refs/monoco/${issue}/parked`,
  session: (issue: string, n: number) => `refs/monoco/${issue}/sessions/${n}`,
  wip: (issue: string, n: number) => `refs/monoco/${issue}/sessions/${n}/wip`,
  /** The branch that a person's own session handed over, until a relay takes it up. */
  handedOver: (issue: string) => `refs/monoco/${issue}/handed-over`,
  /** The relay's refs on the remote, as last fetched. */
  there: (issue: string) => `refs/monoco/${issue}/there`,
  /** What the remote had when this clone last pushed or pulled the relay; a fetch alone does not move it. */
  seen: (issue: string, remote: string) => `refs/monoco/${issue}/seen/${refPath(remote)}`,
  /** A head that another one replaced. */
  earlier: (issue: string, which: string | number) => `refs/monoco/${issue}/earlier/${which}`,
};

/** A path as the end of a ref's name: what git-check-ref-format(1) forbids is percent-encoded. */
export function refPath(path: string): string {
  const encoded = path
    .split("/")
    .map((part) =>
      encodeURIComponent(part).replaceAll(
        /[*~]|^\.|\.(?=\.|$|lock$)/g,
        (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    );
  return encoded.join("/");
}

/** The state at which a relay starts. `held`: clones borrow objects, so the base's commit gets a ref. */
export type Start = { baseCommit: string; held: boolean; atMs: number };

/** Creates the relay's refs at the base's commit; an earlier relay's head is kept under another ref. */
export async function startRefs(git: Git, issue: string, { baseCommit, held, atMs }: Start): Promise<void> {
  const before = await commitOf(git, refs.head(issue));
  const moves = [
    ...(before ? [{ ref: refs.earlier(issue, atMs), to: before }] : []),
    { ref: refs.head(issue), to: baseCommit },
    ...(held ? [{ ref: refs.base(issue), to: baseCommit }] : []),
  ];
  if (await moveRefs(git, moves)) return;
  // Moves the refs one by one, so that git names the ref that it cannot move.
  for (const { ref, to } of moves) await moveRef(git, ref, to);
}

/** The refs below `refs/monoco/ID/`, with the git directory that holds each: the repository's, or a submodule's. */
type Kept = { gitDir: string; ref: string };

/** A relay's refs, or those of all relays, in the repository and its submodules. */
export async function keptRefs({ root, commonDir }: Place, issue?: string): Promise<Kept[]> {
  const below = issue === undefined ? "refs/monoco/" : `refs/monoco/${issue}/`;
  const places = [commonDir, ...gitDirsBelow(commonDir, "modules")];
  const listed = places.map(async (gitDir) => {
    const told = await gitAt(gitDir, root)(["for-each-ref", "--format=%(refname)", below]);
    return told
      .split("\n")
      .filter(Boolean)
      .map((ref) => ({ gitDir, ref }));
  });
  return (await Promise.all(listed)).flat();
}

/** Deletes a relay's refs, those of one git directory together or not at all; returns their number. */
export async function dropRefs(place: Place, issue: string): Promise<number> {
  const kept = await keptRefs(place, issue);
  for (const [gitDir, refs] of Map.groupBy(kept, (one) => one.gitDir)) {
    const input = refs.map(({ ref }) => `delete ${ref}\n`).join("");
    await gitAt(gitDir, place.root)(["update-ref", "--stdin"], { input });
  }
  return kept.length;
}

type Place = { root: string; commonDir: string };

/** Sets session refs aside that are left of a lost journal: new sessions will use the same numbers. */
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
