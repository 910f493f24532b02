/** The names that a clone has besides its branches: tags that the base reaches, and remote-tracking branches, as the person has them. */
import { remoteRefsMax, tagsMax } from "../../core/limits.ts";
import { gitOr } from "../git.ts";
import type { Git } from "../git.ts";
import { moveRef, treeOf } from "../repository.ts";

/** `refs`: the object of each ref. `symbolic`: the ref that a ref such as `origin/HEAD` names. */
export type Names = { refs: Map<string, string>; symbolic: [name: string, to: string][] };

/** The names for a clone of `commit`. `except`: refs of the clone's own, which the others must not block. */
export async function namesFor(git: Git, commit: string, except: readonly string[]): Promise<Names> {
  const list = (max: number, ...which: string[]): Promise<string> =>
    // Git lists nothing if an object of a ref is missing.
    gitOr(git(["for-each-ref", form, `--count=${max}`, ...which]), "");
  const [tags, remotes] = await Promise.all([
    list(tagsMax, "--sort=-creatordate", `--merged=${commit}`, "refs/tags"),
    list(remoteRefsMax, "--sort=-committerdate", "refs/remotes"),
  ]);
  const names: Names = { refs: new Map(), symbolic: [] };
  for (const line of `${tags}${remotes}`.split("\n").filter(Boolean)) {
    const [ref = "", hash = "", to = ""] = line.split(" ");
    if (except.some((own) => `${own}/`.startsWith(`${ref}/`) || ref.startsWith(`${own}/`))) continue;
    if (to === "") names.refs.set(ref, hash);
    else names.symbolic.push([ref, to]);
  }
  return names;
}

const form = "--format=%(refname) %(objectname) %(symref)";

/** Keeps what clones borrow through remote-tracking branches under `ref`: the person may delete those, and prune. */
export async function holdRemotes(git: Git, ref: string, { refs }: Names): Promise<void> {
  const tips = new Set([...refs].flatMap(([name, hash]) => (name.startsWith("refs/remotes/") ? [hash] : [])));
  const [first] = tips;
  if (first === undefined) return;
  const parents = [...tips].flatMap((tip) => ["-p", tip]);
  const message = "Remote-tracking branches that the clones of this relay show";
  const commit = await git(["commit-tree", await treeOf(git, first), ...parents, "-m", message], {
    env: nobody,
  });
  await moveRef(git, ref, commit.trim());
}

/** The same tips give the same commit, whoever runs it and when. */
const nobody = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "monoco"],
    [`GIT_${who}_EMAIL`, "monoco@localhost"],
    [`GIT_${who}_DATE`, "1000000000 +0000"],
  ]),
);
