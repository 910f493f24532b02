/** Merges without a working tree: merge-tree makes the tree, compare-and-swap moves the base, and no uncommitted change is touched. */
import { statusOf } from "./status.ts";
import { locksAround, remedyFor } from "./killed/locks.ts";
import { goneWhileYoung, isYoung } from "./start/young-lock.ts";
import { hash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { GitError, gitIn, gitOr, zeroed } from "./git.ts";
import type { Git } from "./git.ts";
import { commitOf, isAncestor, unanswered } from "./repository.ts";
import { worktreesOf } from "./worktrees.ts";
import { t } from "../core/language/translate.ts";

/**
 * The merged tree. `conflicts` names files that git could not merge (they contain conflict markers) and folders that were
 * split.
 */
export type Merged = { tree: string; conflicts: string[] };

export async function mergeTrees(git: Git, base: string, head: string): Promise<Merged> {
  const output = await git(["merge-tree", "--write-tree", "-z", "--name-only", base, head]).catch(
    (error: unknown) => {
      if (error instanceof GitError && error.exitCode === 1) return error.stdout;
      throw error;
    },
  );
  const [tree, ...rest] = output.split("\0");
  const end = rest.indexOf("");
  const files = end <= 0 ? [] : rest.slice(0, end);
  const others = conflictsTold(end < 0 ? [] : rest.slice(end + 1)).filter(
    (paths) => !paths.some((path) => files.includes(path)),
  );
  return { tree: tree!.trim(), conflicts: [...new Set([...files, ...others.flat()])] };
}

/** The paths of each conflict in merge-tree's output: `COUNT, PATH…, TYPE, TEXT`, repeated. A split folder names no file. */
function conflictsTold(fields: readonly string[]): string[][] {
  const conflicts: string[][] = [];
  for (let at = 0; Number(fields[at]) > 0;) {
    const type = at + Number(fields[at]) + 1;
    if (fields[type]?.startsWith("CONFLICT")) conflicts.push(fields.slice(at + 1, type));
    at = type + 2;
  }
  return conflicts;
}

/**
 * Returns `tree` with the file at `path` replaced by `text`; an executable file stays executable. The folder `scratch` holds an
 * index for the duration of the call and is removed, with anything that a killed run left in it; no other call may use it at
 * the same time.
 */
export async function withFile(
  git: Git,
  { tree, path, text, scratch }: { tree: string; path: string; text: string; scratch: string },
): Promise<string> {
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  try {
    const env = { GIT_INDEX_FILE: join(scratch, "index") };
    const blob = (await git(["hash-object", "-w", "--stdin"], { input: text })).trim();
    if (blob !== blobIdOf(text, blob.length)) throw unanswered(t`git did not take the whole of ${path}`);
    await git(["read-tree", tree], { env });
    const mode = (await git(["ls-tree", tree, "--", path])).startsWith("100755 ") ? "100755" : "100644";
    await git(["update-index", "--add", "--cacheinfo", `${mode},${blob},${path}`], { env });
    return (await git(["write-tree"], { env })).trim();
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Git's id of a blob with this text: 40 digits for SHA-1, 64 for SHA-256. */
function blobIdOf(text: string, digits: number): string {
  return hash(digits === 64 ? "sha256" : "sha1", `blob ${Buffer.byteLength(text)}\0${text}`);
}

/**
 * `lost`: the base has moved. `stuck`: git cannot move the base (a lock that was left, a full disk). `held`: a worktree has the
 * base checked out and cannot be fast-forwarded.
 */
export type Moved =
  | { moved: true }
  | { moved: false; why: "lost" }
  | { moved: false; why: "stuck"; because: string; remedy: string }
  | Held;

/** `remedy` tells the person what to do; `byHand` allows a fast-forward by hand in that worktree instead. */
export type Held = {
  moved: false;
  why: "held";
  worktree: string;
  because: string;
  remedy: string;
  byHand: boolean;
};

/**
 * Moves branch `base` from `expected` to `commit`, which must descend from it. A worktree that has the branch checked out is
 * fast-forwarded if it is clean (untracked files do not count): moving only the ref would leave the merge there as reversed
 * staged changes.
 */
export async function moveBase(
  git: Git,
  move: { base: string; commit: string; expected: string },
): Promise<Moved> {
  const ref = `refs/heads/${move.base}`;
  if ((await commitOf(git, ref)) !== move.expected) return { moved: false, why: "lost" };
  // A last check: a branch's history only grows.
  if (!(await isAncestor(git, move.expected, move.commit)))
    throw new MonocoError("bug", t`${move.commit} does not descend from ${move.base}`);
  const [holder, another] = (await worktreesOf(git)).filter((worktree) => worktree.branch === ref);
  if (another) {
    return held(another.path, t`so has ${holder!.path}`, t`switch one of them to another branch`);
  }
  if (!holder) return moveUnheld(git, ref, move);
  if (!existsSync(holder.path)) {
    return held(holder.path, t`is locked, but not there`, t`bring it back, or git worktree unlock it`);
  }
  if (holder.busy) {
    return held(holder.path, t`it is in the middle of ${holder.busy}`, t`finish or abort that`);
  }
  return fastForward(gitIn(holder.path), holder.path, move);
}

function held(worktree: string, because: string, remedy: string, byHand = false): Held {
  return { moved: false, why: "held", worktree, because, remedy, byHand };
}

/** The remedy for a failed git command; a lock may have been left by a git that was killed. */
async function remedyAfter(git: Git, error: GitError, otherwise: string): Promise<string> {
  const isLocked = /\.lock'?: File exists/.test(error.message);
  if (!isLocked && !error.wordless) return otherwise;
  const locks = await locksAround(git);
  if (locks.paths.length > 0) return remedyFor(locks);
  return isLocked ? t`that lock is gone by now` : otherwise;
}

async function moveUnheld(
  git: Git,
  ref: string,
  { commit, expected }: { commit: string; expected: string },
): Promise<Moved> {
  try {
    await git(["update-ref", ref, commit, expected]);
    return { moved: true };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if ((await commitOf(git, ref)) !== expected) return { moved: false, why: "lost" };
    return {
      moved: false,
      why: "stuck",
      because: error.message,
      remedy: await remedyAfter(git, error, t`see to that`),
    };
  }
}

async function fastForward(
  git: Git,
  worktree: string,
  move: { commit: string; base: string; expected: string },
): Promise<Moved> {
  if (await staysDirty(git, worktree)) return heldDirty(git, worktree);
  try {
    // Git would overwrite ignored files silently, and they are the person's.
    await git(["merge", "--quiet", "--ff-only", "--no-verify", "--no-overwrite-ignore", move.commit]);
    return { moved: true };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const now = await commitOf(git, `refs/heads/${move.base}`);
    if (now && !(await isAncestor(git, now, move.commit))) return { moved: false, why: "lost" };
    // A killed git may have finished its work.
    if (now === move.commit && !(await isDirty(git, worktree))) return { moved: true };
    if (now === move.expected) await takeIndexBack(git, move);
    const left = (await isDirty(git, worktree))
      ? t`; it stopped halfway, \`git restore .\` there puts the files back`
      : "";
    return held(worktree, `${error.message}${left}`, await remedyAfter(git, error, t`fix that there`));
  }
}

/** Whether the worktree has changes; those of a git at work are waited for. */
async function staysDirty(git: Git, worktree: string): Promise<boolean> {
  if (!(await isDirty(git, worktree))) return false;
  const lock = await git(["rev-parse", "--path-format=absolute", "--git-path", "index.lock"]);
  const path = lock.replace(/\n$/, "");
  return !isYoung(path) || !(await goneWhileYoung(path)) || isDirty(git, worktree);
}

/** The reason for a dirty worktree: a lock next to uncommitted changes means that git was killed in the middle of a merge. */
async function heldDirty(git: Git, worktree: string): Promise<Held> {
  const locks = await locksAround(git);
  return locks.paths.length === 0
    ? held(worktree, t`it has uncommitted changes`, t`commit or stash there`, true)
    : held(worktree, t`it has uncommitted changes, maybe of a merge that was killed there`, remedyFor(locks));
}

/** Undoes a merge whose branch is locked: git moves the branch last, so the merge would stay as staged changes. */
async function takeIndexBack(
  git: Git,
  { commit, expected }: { commit: string; expected: string },
): Promise<void> {
  const isMerged = await gitOr(git(["diff-index", "--cached", "--quiet", commit]), undefined);
  // Git's two-tree merge does not touch files that were edited since.
  if (isMerged !== undefined) await gitOr(git(["read-tree", "-m", "-u", commit, expected]), undefined);
}

/**
 * The parents of a commit that is added to a pull request, which has `left` already: readers see what is new, and comments
 * keep their lines.
 */
export async function parentsOnTop(
  git: Git,
  { left, base, head, strategy }: { left: string; base: string; head: string; strategy: "merge" | "squash" },
): Promise<string[]> {
  // A person's submission may descend from the pull request's commit.
  const first = (await isAncestor(git, left, head)) ? head : left;
  const others = [base, ...(strategy === "merge" && first !== head ? [head] : [])];
  const missing: string[] = [];
  for (const other of others) if (!(await isAncestor(git, other, first))) missing.push(other);
  return [first, ...missing];
}

/** How the person removes the locks that a killed git left around branch `base`; undefined if there are none. */
export async function lockRemedy(git: Git, base: string): Promise<string | undefined> {
  const worktree = await holderOf(git, base);
  const locks = await locksAround(worktree === undefined ? git : gitIn(worktree));
  const used = locks.atWork !== undefined && locks.atWork.length > 0;
  return locks.paths.length === 0 || used ? undefined : remedyFor(locks);
}

/** Files in the worktree of `base` that git does not know there, and that `commit` brings. */
export async function filesInTheWay(
  git: Git,
  { base, commit }: { base: string; commit: string },
): Promise<string[]> {
  const folder = await holderOf(git, base);
  if (folder === undefined) return [];
  const added = ["diff", "--name-only", "-z", "--no-renames", "--diff-filter=A"];
  const paths = zeroed(await git([...added, `refs/heads/${base}`, commit]));
  return paths.filter((path) => existsSync(join(folder, path)));
}

/** The path of the worktree that has the branch checked out; undefined if there is none or more than one. */
async function holderOf(git: Git, base: string): Promise<string | undefined> {
  const holders = (await worktreesOf(git)).filter(({ branch }) => branch === `refs/heads/${base}`);
  return holders.length === 1 && existsSync(holders[0]!.path) ? holders[0]!.path : undefined;
}

async function isDirty(git: Git, worktree: string): Promise<boolean> {
  return (await statusOf(git, worktree, "no")).length > 0;
}

/** Whether `commit` is on branch `base`. */
export async function isOnBase(git: Git, base: string, commit: string): Promise<boolean> {
  return isAncestor(git, commit, `refs/heads/${base}`);
}

/** Why a submission that changes these submodules is refused. */
export function submodulesChanged(paths: readonly string[]): string {
  return t`submodules are changed, which the contract does not allow: ${[...new Set(paths)].join(", ")}`;
}

/** Submodule entries and .gitmodules that differ between two commits. */
export async function submoduleChanges(git: Git, from: string, to: string): Promise<string[]> {
  const raw = await git(["diff-tree", "-r", "-z", "--no-renames", from, to]);
  const fields = raw.split("\0");
  const submodules: string[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [before, after] = fields[index]!.replace(/^:/, "").split(" ");
    const path = fields[index + 1]!;
    if (before === "160000" || after === "160000" || path === ".gitmodules") submodules.push(path);
  }
  return submodules;
}
