/** A young lock of git's belongs to somebody at work, in an editor say; an old one was left by a killed git. */
import { lstatSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { youngLockMs } from "../../core/limits.ts";

/** The time between two looks at a lock, in ms. */
const lookMs = 50;

/** The index's lock on which a git failed, by its message. */
export function indexLockIn(stderr: string): string | undefined {
  return /'(.+\/index\.lock)': File exists/.exec(stderr)?.[1];
}

/** Whether the lock is younger than the time for which a git that works holds one. */
export function isYoung(lock: string): boolean {
  const stat = lstatSync(lock, { throwIfNoEntry: false });
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < youngLockMs;
}

/** Waits while the lock is there and young, for at most `youngLockMs` in all; whether it is gone. */
export async function goneWhileYoung(lock: string): Promise<boolean> {
  const until = performance.now() + youngLockMs;
  while (isYoung(lock) && performance.now() < until) await sleep(lookMs);
  return lstatSync(lock, { throwIfNoEntry: false }) === undefined;
}
