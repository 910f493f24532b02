/** Kernel locks: they belong to an open file description, so they end with their holder, however it dies. */
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { makeFolder } from "./durable.ts";

export type Lock = {
  /** The locked descriptor; a child that inherits it holds the lock, too. */
  fd: number;
  /** Closes this process's descriptor; a second call does nothing. */
  release(): void;
};

/**
 * Takes the lock at `path` (created if missing); undefined if somebody else holds it. Any number may share it while nobody has
 * it alone.
 */
export function tryLock(path: string, how: "alone" | "shared" = "alone"): Lock | undefined {
  makeFolder(dirname(path));
  // Not opened for appending: a sandbox's output has to overwrite the space that is reserved in the file.
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o666);
  if (!takes(fd, how === "alone")) {
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

/** Whether somebody holds the lock at `path`. Needs no right to write. */
export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const fd = openSync(path, "r");
  try {
    return !takes(fd, false);
  } finally {
    closeSync(fd);
  }
}

/** The native addon of fs-native-extensions. */
type Native = { tryLock(fd: number, offset: number, length: number, exclusive: boolean): void };

let native: Native | undefined;

/** Takes the lock on a whole file; false if it is held. */
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

/** Loads the addon by its path: the package's own search takes longer than all else here, and is only the fallback. */
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
