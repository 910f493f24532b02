/** The clones that agents work in: made outside the repository, and given a trusted .git again after each session. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { copyObjects } from "./copy-objects.ts";
import { gitIn } from "./git.ts";
import type { Git } from "./git.ts";
import { removePipes } from "./pipes.ts";
import { commitOf, commitsOf, identityOf, moveRefs, unanswered } from "./repository.ts";
import { snapshotFolder } from "./snapshot.ts";
import { isOwnFolder, removeTree } from "./folders.ts";
import { t } from "../core/language/translate.ts";

/** What a clone is made of: `ref` is a ref of the person's repository, `branch` the name it gets in the clone. */
export type CloneSource = {
  root: string;
  base: string;
  ref: string;
  branch: string;
  /** Aborted, it ends the making of a clone, with an `interrupted` error. */
  stop?: AbortSignal;
};

/** Makes a clone with its own objects, no remote, no hooks, the person's identity, checked out on the branch. */
export async function makeClone(source: CloneSource, folder: string): Promise<void> {
  removeTree(folder);
  await makeBareParts(source, folder);
  await checkOut(source, folder);
}

async function checkOut({ branch, stop }: CloneSource, folder: string): Promise<void> {
  await gitIn(folder)(["checkout", "--quiet", "--force", branch], { stop });
}

/** Replaces the workspace's .git by a fresh trusted one at `source.ref`; the files stay as they are, the old .git goes. */
export async function replaceGitDir(source: CloneSource, workspace: string): Promise<void> {
  // The last line of defence: through a link this would replace the person's own .git.
  if (!isOwnFolder(workspace)) throw new MonocoError("bug", t`${workspace} is no folder of its own`);
  const fresh = `${workspace}.fresh`;
  rmSync(fresh, { recursive: true, force: true });
  await makeBareParts(source, fresh);
  await gitIn(fresh)(["read-tree", "HEAD"]);
  const old = `${workspace}.old-git`;
  rmSync(old, { recursive: true, force: true });
  if (isThere(join(workspace, ".git"))) renameSync(join(workspace, ".git"), old);
  renameSync(join(fresh, ".git"), join(workspace, ".git"));
  rmSync(fresh, { recursive: true, force: true });
  rmSync(old, { recursive: true, force: true });
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
  await checkOut(source, folder);
}

/** Moves the base in a clone with a trusted .git to where it stands now: a conflict with what is not there cannot be solved. */
export async function bringInBase({ root, base, branch, stop }: CloneSource, folder: string): Promise<void> {
  const ref = `refs/heads/${base}`;
  const git = gitIn(folder);
  const [now, there] = await Promise.all([commitOf(gitIn(root), ref), commitOf(git, ref)]);
  if (!now || now === there || branch.startsWith(`${base}/`)) return;
  const plain = ["-c", "transfer.fsckObjects=false"];
  const fetch = [...plain, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
  await git([...fetch, root, `+${ref}:${ref}`], { stop });
}

/** Where the base stands in a clone with a trusted .git; undefined where it has none. */
export async function baseIn({ base }: CloneSource, folder: string): Promise<string | undefined> {
  return commitOf(gitIn(folder), `refs/heads/${base}`);
}

/**
 * A clone without files and index: HEAD on the work branch at `ref`, the base beside it. Not `git clone`: its copying dies of a
 * file that goes meanwhile and misses a pack that comes, and it takes three times as many processes.
 */
async function makeBareParts({ root, base, ref, branch, stop }: CloneSource, folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const trusted = gitIn(root);
  const [[there, start], { name, email }, commonDir] = await Promise.all([
    commitsOf(trusted, [`refs/heads/${base}`, ref]),
    identityOf(trusted),
    commonDirOf(root, trusted),
  ]);
  if (!start)
    throw new MonocoError("input", t`${root} has no ${ref}`, { hint: t`monoco relay clear, then run anew` });
  const format = start.length === 64 ? "sha256" : "sha1";
  await trusted(["init", "--quiet", "--template=", `--object-format=${format}`, `-b${branch}`, "--", folder]);
  const own = join(folder, ".git");
  const user = `[user]\n\tname = ${quoted(name)}\n\temail = ${quoted(email)}\n`;
  appendFileSync(join(own, "config"), `${user}[commit]\n\tgpgSign = false\n`);
  // All of them: those that only refs of ours hold, too.
  await copyObjects(join(commonDir, "objects"), join(own, "objects"), stop);
  const starts = [{ ref: `refs/heads/${branch}`, to: start }];
  // A base that was renamed meanwhile is the merge's trouble; a branch `monoco` leaves no room for `monoco/ID`.
  const room = branch !== base && !branch.startsWith(`${base}/`);
  if (there && room) starts.push({ ref: `refs/heads/${base}`, to: there });
  if (!(await moveRefs(gitIn(folder), starts))) throw unanswered(t`git did not make ${branch} in ${folder}`);
  mkdirSync(join(own, "info"), { recursive: true });
  writeFileSync(join(own, "info", "exclude"), "/RALPH.md\n");
}

/** Asked of git only where the main worktree's `.git` is a file: a submodule's, or that of --separate-git-dir. */
export async function commonDirOf(root: string, git: Git): Promise<string> {
  const usual = join(root, ".git");
  if (existsSync(join(usual, "HEAD"))) return usual;
  return (await git(["rev-parse", "--path-format=absolute", "--git-common-dir"])).replace(/\n$/, "");
}

/** A value of git's configuration. */
function quoted(value: string): string {
  return `"${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

/** Deletes clones that monoco made; what is in them must be under refs already. */
export function removeClone(folder: string): void {
  for (const end of ["", ".fresh", ".old-git", ".trees"]) removeTree(`${folder}${end}`);
  removeTree(snapshotFolder(folder));
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
