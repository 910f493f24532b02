/**
 * Removes the lock of a ref that monoco alone moves, left by a killed git, without asking anybody: once every git that was in
 * the repository when the lock was first seen has ended.
 */
import { existsSync, lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "../../core/error/attempt.ts";
import { refLockMs } from "../../core/limits.ts";
import { statOf } from "../../io/process-stat.ts";
import { GitError } from "../git.ts";
import type { Git } from "../git.ts";
import { holdersOf, refLocks, worktreeOf } from "./locks.ts";

/** The time between two looks at a lock, in ms. */
const lookMs = 50;

/** Runs `act`, and once more if a killed git's lock of one of these refs, or of a ref below them, stopped it. */
export async function despiteLocks<T>(git: Git, refs: readonly string[], act: () => Promise<T>): Promise<T> {
  return act().catch(async (error: unknown) => {
    if (!(error instanceof GitError) || !(await freeRefs(git, refs))) throw error;
    return act();
  });
}

/**
 * Whether any of these refs, or a ref below them, was locked, and none is now. Waits for gits at work, for at most `refLockMs`.
 */
async function freeRefs(git: Git, refs: readonly string[]): Promise<boolean> {
  const asked = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
  const commonDir = (await git(asked)).replace(/\n$/, "");
  const paths = refs.map((ref) => join(commonDir, ref));
  const own = paths.map((path) => `${path}.lock`).filter((path) => existsSync(path));
  const locks = [...own, ...paths.flatMap(refLocks)];
  if (locks.length === 0) return false;
  const folders = [commonDir, ...(await worktreeOf(git))];
  const seen = locks.map(whichFile);
  const seenAt = performance.now();
  for (;;) {
    const forMs = performance.now() - seenAt;
    const holders = holdersOf(locks, folders);
    // A process that started later cannot have taken a lock that already existed.
    if (holders?.every((pid) => ageOf(pid) < forMs))
      for (const [at, lock] of locks.entries())
        if (whichFile(lock) === seen[at]) rmSync(lock, { force: true });
    if (!locks.some((path) => existsSync(path))) return true;
    if (forMs > refLockMs) return false;
    await sleep(lookMs);
  }
}

/** The identity of a lock file: a new lock at the same path has another inode or time. */
function whichFile(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.ctimeMs}`;
}

/** The age of a process in ms, 0 if it has ended; proc(5): its start is in ticks of 1/100 s since boot. */
function ageOf(pid: number): number {
  return attempt(() => {
    const upMs = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) * 1_000;
    return upMs - Number(statOf(`/proc/${pid}/stat`).startTime) * 10;
  }, 0);
}
