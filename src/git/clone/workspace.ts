/** The clones that agents work in, made outside the repository. An Executor's lives as long as its relay. */
import { closeSync, existsSync, fsyncSync, lstatSync, openSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { copyObjects, lend, lentBy } from "../copy-objects.ts";
import { makeGitDir } from "./git-dir.ts";
import { keptSettings } from "./own-settings.ts";
import { gitIn, gitOr } from "../git.ts";
import type { Git } from "../git.ts";
import { removePipes } from "../pipes.ts";
import { identityOf } from "../identity.ts";
import { commitsOf, moveRef } from "../repository.ts";
import { snapshotFolder } from "../snapshot.ts";
import { isOwnFolder, removeTree } from "../folders.ts";
import { t } from "../../core/language/translate.ts";

/** What a clone is made of: `ref` is a ref of the person's repository, `branch` the name it gets in the clone. */
export type CloneSource = {
  root: string;
  base: string;
  ref: string;
  branch: string;
  /** Whether a clone reads the objects where the person's repository has them, or has copies of its own. */
  clones: "borrowed" | "copied";
  /** The ref that keeps the base's commit where objects are borrowed: the person may move the branch and prune. */
  hold?: string;
  /** Aborted, it ends the making of a clone, with an `interrupted` error. */
  stop?: AbortSignal;
  /** The words of the sandbox of what has run in a clone: git there runs in it, too. */
  within?: readonly string[];
};

/** Makes a clone with no remote, no hooks, the person's identity, checked out on the branch. */
export async function makeClone(source: CloneSource, folder: string): Promise<void> {
  removeTree(folder);
  await makeBareParts(source, folder);
  // Two write files side by side, where there are 100 or more: a disk makes each of them wait.
  const checkOut = ["-c", "checkout.workers=2", "checkout", "--quiet", "--force", source.branch];
  await gitIn(folder)(checkOut, { stop: source.stop });
}

/**
 * Replaces the workspace's .git by a fresh one at `source.ref`, whose commit is returned; the files stay as they are. The
 * old .git is removed.
 */
export async function replaceGitDir(source: CloneSource, workspace: string): Promise<string> {
  // The last line of defence: through a link this would replace the person's own .git.
  if (!isOwnFolder(workspace)) throw new MonocoError("bug", t`${workspace} is no folder of its own`);
  const fresh = freshGit(workspace);
  const start = await makeBareParts(source, fresh);
  await gitIn(fresh)(["read-tree", "HEAD"]);
  const old = oldGit(workspace);
  removeTree(old);
  if (isThere(join(workspace, ".git"))) renameSync(join(workspace, ".git"), old);
  renameSync(join(fresh, ".git"), join(workspace, ".git"));
  for (const path of [old, fresh]) removeTree(path);
  return start;
}

const freshGit = (workspace: string): string => `${workspace}.fresh`;

const oldGit = (workspace: string): string => `${workspace}.old-git`;

/**
 * Moves a .git that could not be fetched from, and holds the only copy of its commits, to `to` (on the same file system), or
 * to a name beside it that is free. It is there, on the disk, when this returns its place; undefined where there is none.
 */
export function keepGitDir(workspace: string, to: string): string | undefined {
  const git = join(workspace, ".git");
  // A crash may have come between the move and the event that names it.
  if (!isThere(git)) return isThere(to) ? to : undefined;
  let free = to;
  for (let n = 2; isThere(free); n += 1) free = `${to}-${n}`;
  renameSync(git, free);
  const parent = openSync(dirname(free), "r");
  fsyncSync(parent);
  closeSync(parent);
  return free;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Makes the tracked files of a clone what its commit says, whatever ran in it; what else lies there (a set-up) stays. */
export async function renewClone(source: CloneSource, folder: string): Promise<void> {
  await removePipes(folder);
  await replaceGitDir(source, folder);
  await gitIn(folder)(writeMissing, { stop: source.stop });
}

/** Gives the index the times of files that are as it says; it complains of the others. */
export const refreshIndex = (git: Git): Promise<string> =>
  gitOr(git(["update-index", "-q", "--refresh"]), "");

/**
 * Writes the files of the index that are not as they were checked out. Other commands look at a file through a link that took its
 * folder's place, and find nothing changed.
 */
export const writeMissing = [
  "-c",
  "checkout.workers=2",
  "checkout-index",
  "--quiet",
  "--force",
  "--all",
  "--index",
];

/** Where a clone has the base's newest commits: an agent may have checked out, or moved, the branch of its name. */
export const baseRef = (base: string): string => `refs/remotes/origin/${base}`;

/** A repository cannot have both a branch `a` and a branch `a/b`: git keeps `a` as a file or as a folder. */
function hasRoom(base: string, branch: string): boolean {
  return branch === base || !(branch.startsWith(`${base}/`) || base.startsWith(`${branch}/`));
}

/**
 * A clone without files and index: HEAD on the work branch at `ref`, whose commit is returned, the base beside it. Not
 * `git clone`: its copying dies of a file that goes meanwhile and misses a pack that comes, and it takes several processes.
 */
async function makeBareParts(source: CloneSource, folder: string): Promise<string> {
  const { root, base, ref, branch, stop } = source;
  const trusted = gitIn(root);
  const hold = source.clones === "borrowed" ? source.hold : undefined;
  const names = [`refs/heads/${base}`, ref, ...(hold === undefined ? [] : [hold])];
  const [there, start, held] = await commitsOf(trusted, names);
  if (!start)
    throw new MonocoError("input", t`${root} has no ${ref}`, { hint: t`monoco relay clear, then run anew` });
  const commonDir = await commonDirOf(root, trusted);
  if (hold !== undefined && there && there !== held) await moveRef(trusted, hold, there);
  const from = join(commonDir, "objects");
  const heads = { ...(there && hasRoom(base, branch) ? { [base]: there } : {}), [branch]: start };
  const refs = Object.fromEntries(Object.entries(heads).map(([name, to]) => [`refs/heads/${name}`, to]));
  removeTree(folder);
  await makeGitDir(trusted, folder, {
    branch,
    // A base that was renamed meanwhile is the merge's trouble.
    refs: { ...refs, ...(there ? { [baseRef(base)]: there } : {}) },
    identity: await identityOf(trusted),
    fill: (to) =>
      source.clones === "borrowed"
        ? lend([from, ...lentBy(from)], to)
        : // All of them: those that only refs of ours hold, too.
          copyObjects(from, to, stop),
  });
  return start;
}

/** Asked of git only where the main worktree's `.git` is a file: a submodule's, or that of --separate-git-dir. */
export async function commonDirOf(root: string, git: Git): Promise<string> {
  const usual = join(root, ".git");
  if (existsSync(join(usual, "HEAD"))) return usual;
  return (await git(["rev-parse", "--path-format=absolute", "--git-common-dir"])).replace(/\n$/, "");
}

/** Deletes clones that monoco made; what is in them must be under refs already. */
export function removeClone(folder: string): void {
  for (const end of ["", ".fresh", ".half-made", ".old-git", ".trees"]) removeTree(`${folder}${end}`);
  for (const path of [snapshotFolder(folder), keptSettings(folder)]) removeTree(path);
}

/** Puts the files of the commit at `ref` into `folder` without committing them: what was uncommitted is so again. */
export async function restoreFiles(root: string, folder: string, ref: string): Promise<void> {
  const git = gitIn(folder);
  const plain = ["-c", "transfer.fsckObjects=false"];
  await git([
    ...plain,
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    root,
    `+${ref}:refs/monoco/restored`,
  ]);
  await git(["read-tree", "-u", "--reset", "refs/monoco/restored"]);
  await git(["read-tree", "HEAD"]);
  await git(["update-ref", "-d", "refs/monoco/restored"]);
}
