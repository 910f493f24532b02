/** Kernel locks: held by an open file description, so they end with their holder, whatever kills it. */
import { closeSync, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import locks from "fs-native-extensions";
import { makeFolder } from "./durable.ts";

export type Lock = {
  /** The locked descriptor; a child that inherits it holds the lock too. */
  fd: number;
  /** Closes our descriptor; safe to call twice. */
  release(): void;
};

/** Takes the lock at `path` (created if missing), or answers undefined while somebody else holds it. */
export function tryLock(path: string): Lock | undefined {
  makeFolder(dirname(path));
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

/** Whether somebody holds the lock at `path` now. Only looks: where nothing may be written, too. */
export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const fd = openSync(path, "r");
  try {
    return !locks.tryLock(fd, { shared: true });
  } finally {
    closeSync(fd);
  }
}
