/** Writes files that exist whole or not at all: temporary file, fsync, rename, fsync of the folder. */
import { spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * Writes `text` to `path`. A crash leaves the old file or the new one, and the new one survives a power loss. The file gets
 * `mode`, by default the old file's.
 */
export function writeDurably(path: string, text: string | Uint8Array, mode?: number): void {
  const folder = dirname(path);
  makeFolder(folder);
  const temporary = temporaryIn(folder);
  const old = lstatSync(path, { throwIfNoEntry: false });
  const given = mode ?? (old?.isFile() ? old.mode : undefined);
  replace(temporary, path, () => writeSynced(temporary, text, given));
  syncFolder(folder);
}

/** Creates a file, and throws if it exists. A crash, a full disk or a power loss leaves all of it or nothing. */
export function writeNew(path: string, text: string): void {
  const folder = dirname(path);
  makeFolder(folder);
  const temporary = temporaryIn(folder);
  try {
    writeSynced(temporary, text, undefined);
    moveNew(temporary, path);
  } catch (error) {
    throw about(path, error);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(folder);
}

/** Moves a file and replaces none: by a link, or by `mv -n` if the file system has no links (FAT, some network shares). */
function moveNew(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && linkless.has(error.code))) throw error;
    // mv would move the file into an existing folder.
    if (!isThere(path)) spawnSync("mv", ["-n", "--", temporary, path], { stdio: "ignore" });
    if (!isThere(temporary)) return;
    if (!isThere(path)) throw error;
    // This throws that the file exists.
    copyFileSync(temporary, path, constants.COPYFILE_EXCL);
  }
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const linkless = new Set<unknown>(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** Writes without fsync, for a file that is only a view of durable data. */
export function writeAtomically(path: string, text: string): void {
  // A new name: a power loss may leave the end of an old, unsynced file.
  const temporary = temporaryIn(dirname(path));
  replace(temporary, path, () => writeFileSync(temporary, text));
}

/** Makes a folder and its parents, and syncs each parent: a power loss would take a new folder whose name was not synced. */
export function makeFolder(folder: string): void {
  // mkdirSync returns the first folder that it made as an absolute path, too.
  const whole = resolve(folder);
  const first = mkdirSync(whole, { recursive: true });
  if (first === undefined) return;
  for (let made = whole; made.length >= first.length; made = dirname(made)) syncFolder(dirname(made));
}

export function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  fsyncSync(fd);
  closeSync(fd);
}

function temporaryIn(folder: string): string {
  return join(folder, `.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`);
}

/** A failed write (a full disk) leaves no temporary file behind. */
function replace(temporary: string, path: string, write: () => void): void {
  try {
    write();
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw about(path, error);
  }
}

/** Adds the path to the error: a failed write names no file, and a failed open names the temporary one. */
function about(path: string, error: unknown): unknown {
  return error instanceof Error ? Object.assign(error, { path }) : error;
}

function writeSynced(path: string, text: string | Uint8Array, mode: number | undefined): void {
  const fd = openSync(path, "wx");
  try {
    if (mode !== undefined && fstatSync(fd).mode !== mode) fchmodSync(fd, mode);
    // writeSync may write only a part on a nearly full disk, and shows that only in its result.
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
