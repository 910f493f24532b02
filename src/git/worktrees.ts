/** The person's worktrees, and the branch that each has checked out. */
import { existsSync, lstatSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { attempt } from "../core/error/attempt.ts";
import { fileText, isOwnFolder } from "./folders.ts";
import { gitIn, gitOr, zeroed } from "./git.ts";
import type { Git } from "./git.ts";
import { t } from "../core/language/translate.ts";

export type Worktree = {
  path: string;
  branch: string | undefined;
  /** The operation (rebase or bisect) in progress in a detached worktree, which ends on `branch`. */
  busy?: string;
};

/** The person's worktrees; one in the middle of a rebase or bisect has the branch of that operation. */
export async function worktreesOf(git: Git): Promise<Worktree[]> {
  const worktrees: Worktree[] = [];
  for (const line of zeroed(await git(["worktree", "list", "--porcelain", "-z"]))) {
    if (line.startsWith("worktree ")) worktrees.push({ path: line.slice(9), branch: undefined });
    else if (line.startsWith("branch ")) worktrees.at(-1)!.branch = line.slice(7);
    else if (line === "bare") worktrees.pop();
    // The folder of a prunable worktree was deleted, so it has no work.
    else if (line === "prunable" || line.startsWith("prunable ")) worktrees.pop();
  }
  // Git takes the git directory for the main worktree if that is elsewhere (a submodule's, --separate-git-dir).
  const main = worktrees[0];
  if (main && existsSync(join(main.path, "HEAD")) && !existsSync(join(main.path, ".git")))
    main.path = (await git(["rev-parse", "--show-toplevel"])).replace(/\n$/, "");
  for (const worktree of worktrees.filter(
    (candidate) => candidate.branch === undefined && existsSync(candidate.path),
  )) {
    Object.assign(worktree, await inTheMiddle(worktree.path));
  }
  return worktrees;
}

/**
 * Whether a worktree has the branch `ref` checked out. Asks git only if there are several worktrees or HEAD names no branch.
 */
export async function isCheckedOut(root: string, ref: string): Promise<boolean> {
  const own = join(root, ".git");
  const head = attempt(() => readFileSync(join(own, "HEAD"), "utf8"), "");
  const branch = /^ref: (refs\/heads\/.+)\n$/.exec(head)?.[1];
  // In a submodule, or with --separate-git-dir, `.git` is a file, and HEAD is not below it.
  // With refs in other formats than files (reftable), the HEAD file names refs/heads/.invalid.
  const isKnown = branch !== undefined && branch !== "refs/heads/.invalid";
  if (isKnown && lstatSync(join(own, "worktrees"), { throwIfNoEntry: false }) === undefined)
    return branch === ref;
  return (await worktreesOf(gitIn(root))).some((worktree) => worktree.branch === ref);
}

/** The branch that a detached worktree is rebasing or bisecting: git refuses to finish if the branch is moved meanwhile. */
async function inTheMiddle(path: string): Promise<Pick<Worktree, "branch" | "busy"> | undefined> {
  const gitDir = await gitOr(gitIn(path)(["rev-parse", "--path-format=absolute", "--git-dir"]), "");
  const names = [
    ["rebase-merge/head-name", t`a rebase`],
    ["rebase-apply/head-name", t`a rebase`],
    ["BISECT_START", t`a bisect`],
  ] as const;
  for (const [name, busy] of names) {
    const file = join(gitDir.trim(), name);
    if (gitDir === "" || !existsSync(file)) continue;
    const branch = readFileSync(file, "utf8").trim();
    return { branch: branch.startsWith("refs/") ? branch : `refs/heads/${branch}`, busy };
  }
  return undefined;
}

/** The branch that is checked out in `worktree`; undefined if its HEAD is detached. */
export async function branchIn(worktree: string): Promise<string | undefined> {
  const branch = await gitOr(gitIn(worktree)(["symbolic-ref", "--quiet", "--short", "HEAD"]), "");
  return branch.trim() || undefined;
}

/** The repository's other worktrees, each named by a file of git. */
export function linkedWorktrees(commonDir: string): string[] {
  return linkedGitDirs(commonDir).map(({ folder }) => folder);
}

/** Linux's PATH_MAX, and the end of the line. */
const pathBytesMax = 4_097;

/** The git directories of the other worktrees, with their folders. */
export function linkedGitDirs(commonDir: string): { gitDir: string; folder: string }[] {
  const all = join(commonDir, "worktrees");
  return attempt(() => readdirSync(all), []).flatMap((name) => {
    const gitDir = join(all, name);
    const text = fileText(join(gitDir, "gitdir"), pathBytesMax).trimEnd();
    return text === "" ? [] : [{ gitDir, folder: dirname(resolve(gitDir, text)) }];
  });
}

/** The linked worktrees that lie in the folder of their clone, by their paths in it. */
export function worktreesInside(clone: string): string[] {
  const here = attempt(() => realpathSync(clone), clone);
  return linkedWorktrees(join(clone, ".git"))
    .filter((path) => path.startsWith(`${here}/`) && isOwnFolder(path))
    .map((path) => relative(here, path));
}
