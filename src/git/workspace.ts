/** The clones that agents work in: made outside the repository, and given a trusted .git again after each session. */
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { fetchTriesMax, gitAfterStopMs, gitInWorkspaceMsMax } from "../core/limits.ts";
import { copyObjects } from "./copy-objects.ts";
import { GitError, gitIn, gitOr, timedOutExit, zeroed } from "./git.ts";
import type { Git } from "./git.ts";
import { removePipes } from "./pipes.ts";
import { commitOf, commitsOf, identityOf, isAncestor, moveRef, moveRefs, unanswered } from "./repository.ts";
import { snapshotFolder } from "./snapshot.ts";

/** What a clone is made of: `ref` is a ref of the person's repository, `branch` the name it gets in the clone. */
export type CloneSource = {
  root: string;
  base: string;
  ref: string;
  branch: string;
  /** Aborted, it ends the making of a clone, with an `interrupted` error. */
  stop?: AbortSignal;
};

/** Refs of one relay in the person's repository. */
export const refs = {
  head: (issue: string) => `refs/monoco/${issue}/head`,
  submission: (issue: string, n: number) => `refs/monoco/${issue}/submissions/${n}`,
  merging: (issue: string) => `refs/monoco/${issue}/merging`,
  journal: (issue: string) => `refs/monoco/${issue}/journal`,
  /** What was last pushed of its branch. */
  pushed: (issue: string) => `refs/monoco/${issue}/pushed`,
  parked: (issue: string) => `refs/monoco/${issue}/parked`,
  session: (issue: string, n: number) => `refs/monoco/${issue}/sessions/${n}`,
  wip: (issue: string, n: number) => `refs/monoco/${issue}/sessions/${n}/wip`,
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
  if (!isOwnFolder(workspace)) throw new MonocoError("bug", `${workspace} is no folder of its own`);
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
    throw new MonocoError("input", `${root} has no ${ref}`, { hint: "monoco relay clear, then run anew" });
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
  if (!(await moveRefs(gitIn(folder), starts))) throw unanswered(`git did not make ${branch} in ${folder}`);
  mkdirSync(join(own, "info"), { recursive: true });
  writeFileSync(join(own, "info", "exclude"), "/RALPH.md\n");
}

/** Asked of git only where the main worktree's `.git` is a file: a submodule's, or that of --separate-git-dir. */
async function commonDirOf(root: string, git: Git): Promise<string> {
  const usual = join(root, ".git");
  if (existsSync(join(usual, "HEAD"))) return usual;
  return (await git(["rev-parse", "--path-format=absolute", "--git-common-dir"])).replace(/\n$/, "");
}

/** A value of git's configuration. */
function quoted(value: string): string {
  return `"${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

/** What a session left: its head as fetched, and whether its git could be read at all. */
export type Fetched = { head: string; trouble?: string; found?: string };

/**
 * Fetches every ref of the agent's clone to `refs/monoco/ID/sessions/N/`, finds the session's head (HEAD where it goes
 * on from the work branch, else the work branch) and moves the relay's head there. The agent's git is never run.
 */
export async function fetchSession(source: CloneSource, from: FetchFrom): Promise<Fetched> {
  for (let left = fetchTriesMax; left > 0; left -= 1) {
    const fetched = await fetchOnce(source, from);
    if (fetched) return fetched;
  }
  return { head: from.previousHead, trouble: "what was fetched is lost: another git repacks all the time" };
}

type FetchFrom = { workspace: string; issue: string; session: number; previousHead: string };

/** Undefined where a person's `gc` lost what was fetched beside it: the ref is there, and its commit is not. */
async function fetchOnce(source: CloneSource, from: FetchFrom): Promise<Fetched | undefined> {
  const git = gitIn(source.root);
  const into = refs.session(from.issue, from.session);
  const ref = `refs/heads/${source.branch}`;
  const [trouble, worktrees] = await Promise.all([
    fetchRefs(source, { workspace: from.workspace, into }),
    worktreesOf(git),
  ]);
  if (trouble !== undefined) return { head: from.previousHead, trouble };
  const [branch, detached, tip] = await commitsOf(git, [
    `${into}/heads/${source.branch}`,
    `${into}/head`,
    ref,
  ]);
  const head = await pickHead(git, branch, detached);
  if (!head && (await gitOr(git(["rev-parse", "--verify", "--quiet", `${into}/head`]), "")) !== "")
    return undefined;
  // git rejects what hangs on a shallow root, and calls that a success.
  if (!head) return { head: from.previousHead, trouble: "neither its branch nor its HEAD could be fetched" };
  const free = worktrees.every((worktree) => worktree.branch !== ref);
  const found = free ? await keepFound(git, { ...from, tip, head }) : undefined;
  // The branch follows where it can: not where somebody has it checked out, another ref is in its way, or it moved just now.
  const follow = { ref, to: head, expected: tip ?? "" };
  const both = free && (await moveRefs(git, [{ ref: source.ref, to: head }, follow]));
  if (!both) await moveRef(git, source.ref, head);
  return { head, ...(found ? { found } : {}) };
}

async function fetchRefs(
  { root, branch, stop }: CloneSource,
  { workspace, into }: { workspace: string; into: string },
): Promise<string | undefined> {
  const heads = `+refs/heads/*:${into}/heads/*`;
  // One ref that points nowhere makes a fetch of all fail: then the branch alone, at least.
  const tries = [[heads, `+HEAD:${into}/head`], [heads], [`+refs/heads/${branch}:${into}/heads/${branch}`]];
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", workspace];
  let trouble: string | undefined;
  for (const refspecs of tries) {
    try {
      await gitIn(root)([...fetch, ...refspecs], { ...inWorkspace, stop, stopAfterMs: gitAfterStopMs });
      return undefined;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      trouble = error.message;
      if (error.exitCode === timedOutExit) break;
    }
  }
  return trouble;
}

const inWorkspace = { msMax: gitInWorkspaceMsMax };

/** The commits that a clone's HEAD and branches stand at; undefined where its git cannot be read, or names none. Its git is never run. */
export async function headsOf(git: Git, folder: string): Promise<string[] | undefined> {
  const listed = await gitOr(
    git(["ls-remote", "--quiet", folder, "HEAD", "refs/heads/*"], inWorkspace),
    undefined,
  );
  const lines = listed?.split("\n").filter((line) => line !== "");
  return lines?.length ? [...new Set(lines.map((line) => line.split("\t")[0]!))] : undefined;
}

async function pickHead(git: Git, branch?: string, detached?: string): Promise<string | undefined> {
  if (!branch || !detached || branch === detached) return branch ?? detached;
  return (await isAncestor(git, branch, detached)) ? detached : branch;
}

/** Commits on the relay's branch that are not the relay's are somebody's: they are kept under a ref, which is the answer. */
async function keepFound(
  git: Git,
  of: { issue: string; tip: string | undefined; head: string; previousHead: string },
): Promise<string | undefined> {
  const { tip, head, previousHead } = of;
  if (!tip || tip === previousHead || tip === head || (await isAncestor(git, tip, head))) return undefined;
  const found = `refs/monoco/${of.issue}/found/${tip.slice(0, 12)}`;
  await moveRef(git, found, tip);
  return found;
}

export type Worktree = {
  path: string;
  branch: string | undefined;
  /** It stands detached in the middle of this, and goes back to `branch` afterwards. */
  busy?: "a rebase" | "a bisect";
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

/** The branch that a detached worktree is rebasing or bisecting: git refuses to finish if somebody moves it meanwhile. */
async function inTheMiddle(path: string): Promise<Pick<Worktree, "branch" | "busy"> | undefined> {
  const told = await gitOr(gitIn(path)(["rev-parse", "--path-format=absolute", "--git-dir"]), "");
  const names = [
    ["rebase-merge/head-name", "a rebase"],
    ["rebase-apply/head-name", "a rebase"],
    ["BISECT_START", "a bisect"],
  ] as const;
  for (const [name, busy] of names) {
    const file = join(told.trim(), name);
    if (told === "" || !existsSync(file)) continue;
    const branch = readFileSync(file, "utf8").trim();
    return { branch: branch.startsWith("refs/") ? branch : `refs/heads/${branch}`, busy };
  }
  return undefined;
}

/** Starts the relay's refs at the base's commit; an earlier relay's head is kept under a ref of its own. */
export async function startRefs(git: Git, issue: string, baseCommit: string, atMs: number): Promise<void> {
  const before = await commitOf(git, refs.head(issue));
  if (before) await moveRef(git, `refs/monoco/${issue}/earlier/${atMs}`, before);
  await moveRef(git, refs.head(issue), baseCommit);
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

/** The first .gitattributes of the commit that asks for Git LFS; a comment about it is none. */
export async function lfsIn(git: Git, commit: string): Promise<string | undefined> {
  const pattern = "^[^#].*[[:blank:]]filter=lfs([[:blank:]]|$)";
  const where = ["--", ".gitattributes", "**/.gitattributes"];
  const found = await gitOr(git(["grep", "-l", "-z", "-E", pattern, commit, ...where]), "");
  return zeroed(found)[0]?.replace(/^[^:]*:/, "");
}

/** Throws `input` for what cannot be worked on yet: a repository with LFS filters. */
export async function refuseLfs(git: Git, commit: string): Promise<void> {
  const path = await lfsIn(git, commit);
  if (path === undefined) return;
  throw new MonocoError("input", `${path} uses Git LFS, which monoco does not handle yet`, {
    hint: "run monoco on a repository, or a base branch, without LFS filters",
  });
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

/** Whether `path` is a folder itself, and no link to one: an agent may put a link to the person's repository in its place. */
export function isOwnFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // A file stands in the place of a folder on the way.
    return false;
  }
}

/**
 * Takes a folder back from an agent: the rights to it and to its .git, which the agent may have taken from itself and so from
 * the runner, and the pipes at which git would wait. Returns the pipes, which are removed.
 */
export async function takeBack(workspace: string): Promise<string[]> {
  for (const folder of [workspace, join(workspace, ".git")].filter(isOwnFolder)) {
    const { mode } = lstatSync(folder);
    if ((mode & 0o700) !== 0o700) chmodSync(folder, (mode & 0o7777) | 0o700);
  }
  return removePipes(workspace);
}

/** Removes a tree, read-only folders in it too (a module cache is full of them); links are removed, not followed. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    makeWritable(path);
    rmSync(path, { recursive: true, force: true });
  }
}

/** A folder and all folders in it; links are not followed. */
export function makeWritable(folder: string): void {
  if (!isOwnFolder(folder)) return;
  chmodSync(folder, 0o700);
  for (const name of readdirSync(folder)) makeWritable(join(folder, name));
}
