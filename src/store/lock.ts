/** Kernel locks: held by an open file description, so they end with their holder, whatever kills it. */
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
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
  // Not to append: what a sandbox writes there goes into the room that is reserved.
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o666);
  if (!takes(fd, true)) {
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
    return !takes(fd, false);
  } finally {
    closeSync(fd);
  }
}

/** The addon of fs-native-extensions. */
type Native = { tryLock(fd: number, offset: number, length: number, exclusive: boolean): void };

let native: Native | undefined;

/** Takes the lock on a whole file, or says no. */
function takes(fd: number, exclusive: boolean): boolean {
  native ??= loadNative();
  try {
    native.tryLock(fd, 0, 0, exclusive);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return false;
    throw error;
  }
}

/** By its place where that is known: the package looks for it by the rules of another runtime, which takes longer than all else here. */
function loadNative(): Native {
  const load = createRequire(import.meta.url);
  try {
    return load(
      `fs-native-extensions/prebuilds/${process.platform}-${process.arch}/fs-native-extensions.node`,
    ) as Native;
  } catch {
    return load("fs-native-extensions/binding") as Native;
  }
}
