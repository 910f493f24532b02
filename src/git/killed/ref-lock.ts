/**
 * The lock of a ref that monoco alone moves, left by a git that was killed. Nobody needs to be asked about it: it is removed once
 * no git is in the repository that was there when it was first seen.
 */
import { existsSync, lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "../../core/error/attempt.ts";
import { refLockMs } from "../../core/limits.ts";
import { statOf } from "../../io/process-stat.ts";
import type { Git } from "../git.ts";
import { holdersOf } from "./locks.ts";

/** Between two looks at a lock, ms. */
const lookMs = 50;

/** Whether any of these refs was locked, and none is now. Waits for gits that are at work, `refLockMs` at most. */
export async function freeRefs(git: Git, refs: readonly string[]): Promise<boolean> {
  const asked = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-toplevel"];
  const [commonDir = "", ...worktree] = (await git(asked)).split("\n").filter(Boolean);
  const locks = refs.map((ref) => join(commonDir, `${ref}.lock`)).filter((path) => existsSync(path));
  if (locks.length === 0) return false;
  const seen = locks.map(whichFile);
  const seenAt = performance.now();
  for (;;) {
    const forMs = performance.now() - seenAt;
    const holders = holdersOf(locks, [commonDir, ...worktree]);
    // Whoever has begun since did not take a lock that was there already.
    if (holders?.every((pid) => ageOf(pid) < forMs))
      for (const [at, lock] of locks.entries())
        if (whichFile(lock) === seen[at]) rmSync(lock, { force: true });
    if (!locks.some((path) => existsSync(path))) return true;
    if (forMs > refLockMs) return false;
    await sleep(lookMs);
  }
}

/** Another lock at the same place is another file, or made at another time. */
function whichFile(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.ctimeMs}`;
}

/** How long a process has been there, ms: see proc(5) for its start, in ticks of 1/100 s since the system's. Of one that has ended, 0. */
function ageOf(pid: number): number {
  return attempt(() => {
    const upMs = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) * 1_000;
    return upMs - Number(statOf(`/proc/${pid}/stat`).startTime) * 10;
  }, 0);
}
