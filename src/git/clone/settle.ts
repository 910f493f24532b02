/** Prepares a clone that lives as long as its relay for the next session. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { filesBelow, isOwnFolder, takeBack } from "../folders.ts";
import { GitError, gitIn, gitOr } from "../git.ts";
import type { Git } from "../git.ts";
import { holdersOf } from "../killed/locks.ts";
import { commitOf, moveRef, moveRefs } from "../repository.ts";
import type { RefMove } from "../repository.ts";
import { holdRemotes, namesFor } from "./names.ts";
import type { Names } from "./names.ts";
import { unfinishedIn } from "./operation.ts";
import { keepSettings, keptSettings, restoreSettings } from "./own-settings.ts";
import { baseRef, commonDirOf, keepGitDir, replaceGitDir } from "./workspace.ts";
import type { CloneSource } from "./workspace.ts";

/**
 * Fetches the base's new commits into a clone as `origin/<base>`, and the names that the person has by now. Returns the commit
 * of `origin/<base>` afterwards.
 */
export async function bringInBase(source: CloneSource, folder: string): Promise<string | undefined> {
  const { root, base, hold, clones, stop, within } = source;
  const git = gitIn(folder, within);
  const there = await commitOf(git, baseRef(base));
  const trusted = gitIn(root);
  const now = await commitOf(trusted, `refs/heads/${base}`);
  if (!now || now === there) return there;
  const names = await namesFor(trusted, now, [baseRef(base)]);
  const moves = movesTo(names, await namesIn(git), baseRef(base));
  if (clones === "borrowed") {
    if (hold !== undefined) await moveRef(trusted, hold.base, now);
    if (hold !== undefined) await holdRemotes(trusted, hold.remotes, names);
    // A ref of the session may block it.
    if (!(await moveRef(git, baseRef(base), now, there ?? ""))) return there;
    if (moves.length > 0) await moveRefs(git, moves);
  } else {
    const plain = ["-c", "transfer.fsckObjects=false"];
    const fetch = [...plain, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
    const from = await commonDirOf(root, trusted);
    await git([...fetch, from, `+refs/heads/${base}:${baseRef(base)}`], { stop });
    const others = moves.filter(({ to }) => /[^0]/.test(to)).map(({ ref }) => `+${ref}:${ref}`);
    if (others.length > 0) await gitOr(git([...fetch, from, ...others], { stop }), "");
  }
  // The clone's base branch follows, unless a session moved it or has it checked out.
  const own = `refs/heads/${base}`;
  const on = (await gitOr(git(["symbolic-ref", "--quiet", "HEAD"]), "")).trim();
  if (there && base !== source.branch && on !== own) await moveRef(git, own, now, there);
  return now;
}

/** The names that the clone has. */
async function namesIn(git: Git): Promise<Map<string, string>> {
  const listed = await gitOr(
    git(["for-each-ref", "--format=%(refname) %(objectname)", "refs/tags", "refs/remotes"]),
    "",
  );
  return new Map(
    listed
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(" ", 2) as [string, string]),
  );
}

/** The moves that give a clone new tags, and the remote-tracking branches as they are; a session's own tags and remotes stay. */
function movesTo({ refs, symbolic }: Names, own: Map<string, string>, base: string): RefMove[] {
  const remoteOf = (ref: string): string => ref.split("/", 3).join("/");
  const remotes = new Set([...refs.keys()].filter((ref) => !isTag(ref)).map(remoteOf));
  const kept = new Set([base, ...symbolic.map(([name]) => name)]);
  // Git deletes a ref that is moved to no commit.
  const gone = [...own].filter(
    ([ref]) => !isTag(ref) && !refs.has(ref) && !kept.has(ref) && remotes.has(remoteOf(ref)),
  );
  const moved = [...refs].filter(([ref, to]) => (isTag(ref) ? !own.has(ref) : own.get(ref) !== to));
  return [
    ...moved.map(([ref, to]) => ({ ref, to })),
    ...gone.map(([ref, hash]) => ({ ref, to: "0".repeat(hash.length) })),
  ];
}

const isTag = (ref: string): boolean => ref.startsWith("refs/tags/");

/**
 * Prepares a clone in which sessions and checks have run: restores the hooks and configuration that `setup` left, removes locks
 * of killed gits, and puts HEAD on the work branch at `head` unless an operation is in progress. Returns the names of the
 * settings that were moved to `aside`, and the place of a `.git` that had to be replaced.
 */
export async function settleClone(
  source: CloneSource,
  folder: string,
  { head, aside }: { head: string; aside: string },
): Promise<{ names: string[]; kept?: string | undefined }> {
  const person = gitIn(source.root);
  const hasSettings = isOwnFolder(keptSettings(folder));
  // An unreadable .git was moved away; a .git without kept settings may contain anything.
  if (!hasSettings || !isOwnFolder(join(folder, ".git"))) await replaceGitDir(source, folder);
  if (!hasSettings) await keepSettings(person, folder);
  await takeBack(folder);
  removeLocks(folder);
  const names = await restoreSettings(person, folder, aside);
  if (await unfinishedIn(person, folder)) return { names };
  try {
    await standOnBranch(source, folder, head);
  } catch (error) {
    // Another branch blocks the work branch: the clone gets a new .git, and the old one is kept.
    if (!(error instanceof GitError && /cannot lock ref/.test(error.message))) throw error;
    const { root } = source;
    const where = { root, commonDir: await commonDirOf(root, person) };
    const to = `${folder}.git-before-${head.slice(0, 12)}`;
    const kept = await keepGitDir(where, folder, { head, to });
    await replaceGitDir(source, folder);
    await restoreSettings(person, folder, aside);
    return { names, kept };
  }
  return { names };
}

/** Puts HEAD on the work branch at `head`; the files stay as they are. */
async function standOnBranch(source: CloneSource, folder: string, head: string): Promise<void> {
  const git = gitIn(folder, source.within);
  const ref = `refs/heads/${source.branch}`;
  await git(["ls-files", "--unmerged"]).catch(async (error: unknown) => {
    if (!(error instanceof GitError && error.message.includes("index"))) throw error;
    // Git cannot read a damaged index.
    rmSync(join(folder, ".git", "index"), { force: true });
    await git(["read-tree", "HEAD"]);
  });
  const on = (await gitOr(git(["symbolic-ref", "--quiet", "HEAD"]), "")).trim();
  const at = await commitOf(git, "HEAD");
  if (on === ref && at === head) return;
  await git(["update-ref", ref, head]);
  await git(["symbolic-ref", "HEAD", ref]);
  if (at !== head) await git(["reset", "--quiet", "--mixed", "--no-refresh", "HEAD"]);
}

/** Removes the locks that killed gits left in a clone, unless a git is at work there. */
export function removeLocks(workspace: string): void {
  const locks = locksIn(join(workspace, ".git"));
  if (locks.length === 0 || (holdersOf(locks, [workspace]) ?? []).length > 0) return;
  for (const lock of locks) rmSync(lock, { force: true });
}

/** Folders in which git locks files; a worktree elsewhere inside `.git` may contain files with such names. */
const lockedByGit = ["refs", "info", "modules", "worktrees", "logs"];

function locksIn(own: string): string[] {
  const entries = attempt(() => readdirSync(own, { withFileTypes: true }), []);
  const top = entries.filter((entry) => entry.isFile()).map(({ name }) => join(own, name));
  const folders = entries.filter((entry) => entry.isDirectory() && lockedByGit.includes(entry.name));
  const below = folders.flatMap(({ name }) => filesBelow(join(own, name)));
  return [...top, ...below].filter((path) => path.endsWith(".lock"));
}
