/** Replays the commits of a branch on another commit, without a working tree: authors, dates and messages stay. */
import { replayCommitsMax } from "../core/limits.ts";
import { GitError } from "./git.ts";
import type { Git } from "./git.ts";
import { commitTree, mergeTrees, withFile } from "./landing.ts";
import { fileAt, treeOf } from "./repository.ts";
import { t } from "../core/language/translate.ts";

/** The last of the replayed commits; or why they cannot be replayed, in words. */
export type Replayed = { tip: string; tree: string } | { because: string };

/**
 * Replays what `head` has and `base` has not on `base`, the oldest first, as git rebase would; a commit whose whole change
 * is there already is left out. The file at `settled` never conflicts: the one of `base` stays, the caller writes its own.
 * `scratch` as for `withFile`.
 */
export async function replayCommits(
  git: Git,
  { base, head, settled, scratch }: { base: string; head: string; settled: string; scratch: string },
): Promise<Replayed> {
  const range = ["--reverse", "--topo-order", "--parents", `${base}..${head}`];
  const commits = (await git(["rev-list", ...range])).trim().split("\n").filter(Boolean);
  if (commits.length > replayCommitsMax) {
    return { because: t`${commits.length} commits are more than the ${replayCommitsMax} that are replayed` };
  }
  const merge = commits.find((line) => line.split(" ").length > 2);
  if (merge !== undefined) return { because: t`${short(merge)} is a merge commit` };
  let onto = { tip: base, tree: await treeOf(git, base) };
  for (const line of commits) {
    const [commit, parent] = line.split(" ");
    if (!parent) return { because: t`${short(commit)} has no parent` };
    const next = await pick(git, { commit: commit!, parent, onto, settled, scratch });
    if ("because" in next) return next;
    onto = next;
  }
  return onto;
}

type Pick = {
  commit: string;
  parent: string;
  onto: { tip: string; tree: string };
  settled: string;
  scratch: string;
};

/**
 * git 2.39 finds the base of a three-way merge by itself: a commit of `onto`'s tree on the picked one's parent makes that
 * parent the base.
 */
async function pick(git: Git, { commit, parent, onto, settled, scratch }: Pick): Promise<Replayed> {
  const side = await commitTree(git, { tree: onto.tree, parents: [parent], message: "" });
  const { tree: merged, conflicts } = await mergeTrees(git, side, commit);
  const others = conflicts.filter((path) => path !== settled);
  if (others.length > 0) return { because: t`${short(commit)} by itself conflicts in ${others.join(", ")}` };
  const tree =
    conflicts.length === 0 ? merged : await keepSettled(git, { merged, onto: onto.tree, settled, scratch });
  if (tree === undefined) return { because: t`${short(commit)} by itself conflicts in ${settled}` };
  const original = await authorAndMessage(git, commit);
  if (tree === onto.tree && (await treeOf(git, parent)) !== (await treeOf(git, commit))) return onto;
  try {
    return { tip: await commitTree(git, { tree, parents: [onto.tip], ...original }), tree };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { because: t`${short(commit)} cannot be made again: ${error.message}` };
  }
}

async function keepSettled(
  git: Git,
  { merged, onto, settled, scratch }: { merged: string; onto: string; settled: string; scratch: string },
): Promise<string | undefined> {
  const text = await fileAt(git, onto, settled);
  return text === undefined ? undefined : withFile(git, { tree: merged, path: settled, text, scratch });
}

async function authorAndMessage(
  git: Git,
  commit: string,
): Promise<{ author: { name: string; email: string; date: string }; message: string }> {
  const format = "--format=%an%x00%ae%x00%ad%x00%B";
  const told = await git([
    "log",
    "-1",
    "-z",
    "--no-show-signature",
    "--encoding=UTF-8",
    "--date=raw",
    format,
    commit,
  ]);
  const [name = "", email = "", date = "", ...message] = told.split("\0");
  return { author: { name, email, date: `@${date}` }, message: message[0] ?? "" };
}

function short(commit: string | undefined): string {
  return commit?.slice(0, 8) ?? "";
}
