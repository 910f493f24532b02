/** The clones that agents work in: made outside the repository, and given a trusted .git again after each session. */
import { closeSync, existsSync, fsyncSync, lstatSync, openSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { attempt } from "../../core/error/attempt.ts";
import { copyObjects, lend, lentBy } from "./copy-objects.ts";
import { configFor, looseRef, makeGitDir } from "./git-dir.ts";
import { forgetIndex, keepIndex, keptIndex, takeKeptIndex } from "./kept-index.ts";
import { gitIn, gitOr } from "../git.ts";
import type { Git } from "../git.ts";
import { removePipes } from "../pipes.ts";
import { identityOf } from "../identity.ts";
import { commitOf, commitsOf, moveRef } from "../repository.ts";
import { snapshotFolder } from "../snapshot.ts";
import { isOwnFolder, removeAside, removeTree } from "../folders.ts";
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
};

/** Makes a clone with no remote, no hooks, the person's identity, checked out on the branch. */
export async function makeClone(source: CloneSource, folder: string): Promise<void> {
  removeTree(folder);
  forgetIndex(folder);
  const start = await makeBareParts(source, folder);
  await checkOut(source, folder);
  // Nothing has run in it yet.
  keepIndex(folder, { index: join(folder, ".git", "index"), head: start, isNeeded: true });
}

async function checkOut({ branch, stop }: CloneSource, folder: string): Promise<void> {
  // Two write files side by side, where there are 100 or more: a disk makes each of them wait.
  await gitIn(folder)(["-c", "checkout.workers=2", "checkout", "--quiet", "--force", branch], { stop });
}

/**
 * Replaces the workspace's .git by a fresh trusted one at `source.ref`, whose commit is returned; the files stay as they are. The
 * old .git, and a folder that is empty now, lie beside it until `removeOldGit`, or until they are in the way.
 */
export async function replaceGitDir(source: CloneSource, workspace: string): Promise<string> {
  // The last line of defence: through a link this would replace the person's own .git.
  if (!isOwnFolder(workspace)) throw new MonocoError("bug", t`${workspace} is no folder of its own`);
  const fresh = freshGit(workspace);
  const start = await makeBareParts(source, fresh);
  const kept = takeKeptIndex(workspace, join(fresh, ".git", "index"));
  if (kept !== start) await gitIn(fresh)(["read-tree", "HEAD"]);
  const old = oldGit(workspace);
  removeTree(old);
  if (isThere(join(workspace, ".git"))) renameSync(join(workspace, ".git"), old);
  renameSync(join(fresh, ".git"), join(workspace, ".git"));
  return start;
}

const freshGit = (workspace: string): string => `${workspace}.fresh`;

const oldGit = (workspace: string): string => `${workspace}.old-git`;

/** Removes what a change of sessions has left: the .git that was replaced, and folders of git's own. What stays is removed when it is in the way. */
export async function removeOldGit(workspace: string): Promise<void> {
  const left = [oldGit(workspace), freshGit(workspace), snapshotFolder(workspace)];
  await Promise.all(left.map((path) => removeAside(path)));
}

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
  await removeOldGit(folder);
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

/**
 * Moves the base in a clone with a trusted .git to where it stands now: a conflict with what is not there cannot be solved.
 * Returns the commit that the base has in the clone afterwards.
 */
export async function bringInBase(
  { root, base, branch, stop }: CloneSource,
  folder: string,
): Promise<string | undefined> {
  const ref = `refs/heads/${base}`;
  const there = await baseIn({ base }, folder);
  const now = await commitOf(gitIn(root), ref);
  if (!now || now === there || !hasRoom(base, branch)) return there;
  const plain = ["-c", "transfer.fsckObjects=false"];
  const fetch = [...plain, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
  await gitIn(folder)([...fetch, root, `+${ref}:${ref}`], { stop });
  return now;
}

/** Where the base stands in a clone with a trusted .git; undefined where it has none. */
export async function baseIn(
  { base }: Pick<CloneSource, "base">,
  folder: string,
): Promise<string | undefined> {
  const text = attempt(() => readFileSync(looseRef(join(folder, ".git"), base), "utf8").trim(), "");
  return /^[0-9a-f]{40,64}$/.test(text) ? text : commitOf(gitIn(folder), `refs/heads/${base}`);
}

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
  const [identity, config] = await Promise.all([
    identityOf(trusted),
    configFor(trusted, folder, start.length === 64 ? "sha256" : "sha1"),
    hold !== undefined && there && there !== held && moveRef(trusted, hold, there),
  ]);
  // A base that was renamed meanwhile is the merge's trouble.
  const branches = { ...(there && hasRoom(base, branch) ? { [base]: there } : {}), [branch]: start };
  const from = join(commonDir, "objects");
  const lent = source.clones === "borrowed" ? [from, ...lentBy(from)] : [];
  removeTree(folder);
  const to = join(makeGitDir(folder, { branch, branches, identity, config }), "objects");
  if (source.clones === "borrowed") lend(lent, to);
  // All of them: those that only refs of ours hold, too.
  else await copyObjects(from, to, stop);
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
  for (const path of [snapshotFolder(folder), keptIndex(folder), `${folder}.pack`]) removeTree(path);
  forgetIndex(folder);
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
