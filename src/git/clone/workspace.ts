/** Makes the clones in which agents work, outside of the repository. The Executor's clone lives as long as its relay. */
import { closeSync, existsSync, fsyncSync, lstatSync, openSync, realpathSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { copyObjects, lend, lentBy } from "../copy-objects.ts";
import { makeGitDir } from "./git-dir.ts";
import { fillModules, writeMissing } from "./modules.ts";
import { holdRemotes, namesFor } from "./names.ts";
import { keptSettings } from "./own-settings.ts";
import { remoteEntries, remotesOf } from "./remotes.ts";
import { gitIn, gitOr } from "../git.ts";
import type { Git } from "../git.ts";
import { removePipes } from "../pipes.ts";
import { identityOf } from "../identity.ts";
import { commitsOf, moveRef } from "../repository.ts";
import type { Repository } from "../repository.ts";
import { snapshotFolder, writeLeftOut } from "../snapshot.ts";
import { isOwnFolder, removeTree } from "../folders.ts";
import { t } from "../../core/language/translate.ts";

/** The source of a clone: `ref` is a ref of the person's repository, `branch` its name in the clone. */
export type CloneSource = {
  root: string;
  base: string;
  ref: string;
  branch: string;
  /** Whether a clone reads objects from the person's repository or has copies of its own. */
  clones: "borrowed" | "copied";
  /** With `ignore`, git in the clone runs no filter. */
  filters?: "refuse" | "ignore";
  /** Whether a sandbox is around what works in the clone: only there it shows the person's remotes. */
  sandboxed?: boolean;
  /** The refs that keep the base's commit and the remote-tracking branches while clones borrow objects: the person may prune. */
  hold?: { base: string; remotes: string };
  /** An aborted `stop` ends the making of a clone with an `interrupted` error. */
  stop?: AbortSignal;
  /** The sandbox command of earlier sessions in the clone, under which git runs there. */
  within?: readonly string[];
};

/** Makes a clone with the branch checked out, the person's identity and no hooks. */
export async function makeClone(source: CloneSource, folder: string): Promise<void> {
  removeTree(folder);
  const start = await makeBareParts(source, folder);
  // Two workers write 100 or more files in parallel, since a disk makes each of them wait.
  const checkOut = ["-c", "checkout.workers=2", "checkout", "--quiet", "--force", source.branch];
  await gitIn(folder)(checkOut, { stop: source.stop });
  await fillAll(source, folder, { commit: start, files: "write" });
}

/** Replaces the workspace's .git by a new one at `source.ref`. The files stay as they are, or tracked ones are written anew. */
export async function replaceGitDir(
  source: CloneSource,
  workspace: string,
  files: "stay" | "write" = "stay",
): Promise<void> {
  // A last check: through a link this would replace the person's own .git.
  if (!isOwnFolder(workspace)) throw new MonocoError("bug", t`${workspace} is no folder of its own`);
  const fresh = freshGit(workspace);
  const start = await makeBareParts(source, fresh);
  await gitIn(fresh)(["read-tree", "HEAD"]);
  const old = oldGit(workspace);
  removeTree(old);
  if (isThere(join(workspace, ".git"))) renameSync(join(workspace, ".git"), old);
  renameSync(join(fresh, ".git"), join(workspace, ".git"));
  for (const path of [old, fresh]) removeTree(path);
  if (files === "write") await gitIn(workspace)(writeMissing, { stop: source.stop });
  await fillAll(source, workspace, { commit: start, files });
}

/** Fills the clone's submodules. */
async function fillAll(
  { root, clones, sandboxed, stop }: CloneSource,
  folder: string,
  { commit, files }: { commit: string; files: "stay" | "write" },
): Promise<void> {
  const lender = await commonDirOf(root, gitIn(root));
  const clone = { lender, root, gitDir: join(folder, ".git"), folder, commit };
  await fillModules(clone, { clones, sandboxed, files, stop });
}

const freshGit = (workspace: string): string => `${workspace}.fresh`;

const oldGit = (workspace: string): string => `${workspace}.old-git`;

/**
 * Moves an unreadable .git, which has the only copy of its commits, to `to` (on the same file system) or to a free name next to
 * it, after the files of `head` that a sparse checkout leaves out are written. The move is durable on return. Returns the new
 * path; undefined if there is no .git.
 */
export async function keepGitDir(
  person: Pick<Repository, "root" | "commonDir">,
  workspace: string,
  { head, to }: { head: string; to: string },
): Promise<string | undefined> {
  const git = join(workspace, ".git");
  // A crash may have come between the move and its event.
  if (!isThere(git)) return isThere(to) ? to : undefined;
  await writeLeftOut(person, workspace, head);
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

/** Restores the tracked files of a clone to its commit, whatever ran there; other files (a set-up) stay. */
export async function renewClone(source: CloneSource, folder: string): Promise<void> {
  await removePipes(folder);
  await replaceGitDir(source, folder, "write");
}

/** Updates file times in the index for unchanged files; git prints the changed ones. */
export const refreshIndex = (git: Git): Promise<string> =>
  gitOr(git(["update-index", "-q", "--ignore-submodules", "--refresh"]), "");

/** The clone's ref of the base's newest commits: an agent may have checked out or moved the branch `base`. */
export const baseRef = (base: string): string => `refs/remotes/origin/${base}`;

/** Whether the clone can have both branches: git stores `a` as a file or as a folder, so `a` and `a/b` exclude each other. */
function hasRoom(base: string, branch: string): boolean {
  return branch === base || !(branch.startsWith(`${base}/`) || base.startsWith(`${branch}/`));
}

/**
 * Makes a clone without files and index: HEAD on the work branch at `ref`, whose commit is returned, and a ref for the base.
 * `git clone` needs several processes, and its copying fails on files that vanish and misses packs that appear meanwhile.
 */
async function makeBareParts(source: CloneSource, folder: string): Promise<string> {
  const { root, base, ref, branch, stop } = source;
  const trusted = gitIn(root);
  const hold = source.clones === "borrowed" ? source.hold : undefined;
  const asked = [`refs/heads/${base}`, ref, ...(hold === undefined ? [] : [hold.base])];
  const [there, start, held] = await commitsOf(trusted, asked);
  if (!start)
    throw new MonocoError("input", t`${root} has no ${ref}`, { hint: t`monoco relay clear, then run anew` });
  const commonDir = await commonDirOf(root, trusted);
  if (hold !== undefined && there && there !== held) await moveRef(trusted, hold.base, there);
  const names = await namesFor(trusted, there ?? start, [baseRef(base)]);
  if (hold !== undefined) await holdRemotes(trusted, hold.remotes, names);
  const from = join(commonDir, "objects");
  const heads = { ...(there && hasRoom(base, branch) ? { [base]: there } : {}), [branch]: start };
  const refs = Object.fromEntries(Object.entries(heads).map(([name, to]) => [`refs/heads/${name}`, to]));
  removeTree(folder);
  await makeGitDir(trusted, folder, {
    branch,
    // If the base was renamed meanwhile, the merge reports it.
    refs: { ...refs, ...(there ? { [baseRef(base)]: there } : {}) },
    names,
    identity: await identityOf(trusted),
    entries: source.sandboxed ? remoteEntries(await remotesOf(trusted, root), base) : [],
    unfiltered: source.filters === "ignore",
    fill: (to) =>
      source.clones === "borrowed"
        ? lend([from, ...lentBy(from)], to)
        : // Copies all objects, also those that only monoco's refs keep.
          copyObjects(from, to, stop),
  });
  return start;
}

/** The common git directory; asks git only if the root has no `.git` folder (a submodule, --separate-git-dir, a bare repository). */
export async function commonDirOf(root: string, git: Git): Promise<string> {
  const usual = join(root, ".git");
  if (existsSync(join(usual, "HEAD"))) return realpathSync(usual);
  return (await git(["rev-parse", "--path-format=absolute", "--git-common-dir"])).replace(/\n$/, "");
}

/** Deletes a clone that monoco made; its work must be under refs already. */
export function removeClone(folder: string): void {
  for (const end of ["", ".fresh", ".half-made", ".old-git", ".trees"]) removeTree(`${folder}${end}`);
  for (const path of [snapshotFolder(folder), keptSettings(folder)]) removeTree(path);
}

/** Writes the files of the commit at `ref` into `folder` as uncommitted changes. */
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
