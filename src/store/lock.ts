/** Kernel locks: held by an open file description, so they end with their holder, whatever kills it. */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import locks from "fs-native-extensions";

export type Lock = {
  /** The locked descriptor; a child that inherits it holds the lock too. */
  fd: number;
  /** Closes our descriptor; safe to call twice. */
  release(): void;
};

/** Takes the lock at `path` (created if missing), or answers undefined while somebody else holds it. */
export function tryLock(path: string): Lock | undefined {
  mkdirSync(dirname(path), { recursive: true });
  const fd = openSync(path, "a+");
  if (!locks.tryLock(fd)) {
    closeSync(fd);
    return undefined;
  }
  let held = true;
  const release = (): void => {
    if (held) closeSync(fd);
    held = false;
  };
  return { fd, release };
}

/** Whether somebody holds the lock at `path` now. */
export function isLocked(path: string): boolean {
  const lock = tryLock(path);
  lock?.release();
  return lock === undefined;
}
