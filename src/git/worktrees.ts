/** The person's worktrees, and the branch that each has checked out. */
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../core/error/attempt.ts";
import { gitIn, gitOr, zeroed } from "./git.ts";
import type { Git } from "./git.ts";
import { t } from "../core/language/translate.ts";

export type Worktree = {
  path: string;
  branch: string | undefined;
  /** It stands detached in the middle of this, and goes back to `branch` afterwards. */
  busy?: string;
};

/** The person's worktrees and the branch that each has checked out. */
export async function worktreesOf(git: Git): Promise<Worktree[]> {
  const found: Worktree[] = [];
  for (const line of zeroed(await git(["worktree", "list", "--porcelain", "-z"]))) {
    if (line.startsWith("worktree ")) found.push({ path: line.slice(9), branch: undefined });
    else if (line.startsWith("branch ")) found.at(-1)!.branch = line.slice(7);
    // Its folder was deleted: it holds nothing.
    else if (line === "prunable" || line.startsWith("prunable ")) found.pop();
  }
  for (const worktree of found.filter(
    (candidate) => candidate.branch === undefined && existsSync(candidate.path),
  )) {
    Object.assign(worktree, await inTheMiddle(worktree.path));
  }
  return found;
}

/** Whether a worktree has the branch `ref`: read off the one HEAD that there is, where it stands on a branch; else git is asked. */
export async function isCheckedOut(root: string, ref: string): Promise<boolean> {
  const own = join(root, ".git");
  const head = attempt(() => readFileSync(join(own, "HEAD"), "utf8"), "");
  const branch = /^ref: (refs\/heads\/.+)\n$/.exec(head)?.[1];
  const isOnly = lstatSync(join(own, "worktrees"), { throwIfNoEntry: false }) === undefined;
  // Where refs are no files, HEAD is one that leads nowhere.
  if (branch !== undefined && branch !== "refs/heads/.invalid" && isOnly) return branch === ref;
  return (await worktreesOf(gitIn(root))).some((worktree) => worktree.branch === ref);
}

/** The branch that a detached worktree is rebasing or bisecting: git refuses to finish if somebody moves it meanwhile. */
async function inTheMiddle(path: string): Promise<Pick<Worktree, "branch" | "busy"> | undefined> {
  const told = await gitOr(gitIn(path)(["rev-parse", "--path-format=absolute", "--git-dir"]), "");
  const names = [
    ["rebase-merge/head-name", t`a rebase`],
    ["rebase-apply/head-name", t`a rebase`],
    ["BISECT_START", t`a bisect`],
  ] as const;
  for (const [name, busy] of names) {
    const file = join(told.trim(), name);
    if (told === "" || !existsSync(file)) continue;
    const branch = readFileSync(file, "utf8").trim();
    return { branch: branch.startsWith("refs/") ? branch : `refs/heads/${branch}`, busy };
  }
  return undefined;
}

/** The branch that is checked out in `worktree`; undefined where its HEAD is detached. */
export async function branchIn(worktree: string): Promise<string | undefined> {
  const told = await gitOr(gitIn(worktree)(["symbolic-ref", "--quiet", "--short", "HEAD"]), "");
  return told.trim() || undefined;
}
