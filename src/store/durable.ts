/** Files that are there or not there, never half: temp file, fsync, rename, fsync of the folder. */
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

/** Writes `text` to `path` so that a crash leaves the old file or the new one, with this mode or else the old one's, and the new one survives power loss. */
export function writeDurably(path: string, text: string | Uint8Array, mode?: number): void {
  const folder = dirname(path);
  makeFolder(folder);
  const temporary = temporaryIn(folder);
  const old = lstatSync(path, { throwIfNoEntry: false });
  const given = mode ?? (old?.isFile() ? old.mode : undefined);
  replace(temporary, path, () => writeSynced(temporary, text, given));
  syncFolder(folder);
}

/** Makes a file that was not there: throws where it is. A crash, a full disk or power loss leaves the whole of it or none. */
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

/** Unlike a rename, a link replaces nothing. Where the file system has none (FAT, some shares), `mv -n` replaces nothing either. */
function moveNew(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && linkless.has(error.code))) throw error;
    // It would move the file into a folder of that name.
    if (!isThere(path)) spawnSync("mv", ["-n", "--", temporary, path], { stdio: "ignore" });
    if (!isThere(temporary)) return;
    if (!isThere(path)) throw error;
    // Somebody has it, which this says.
    copyFileSync(temporary, path, constants.COPYFILE_EXCL);
  }
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const linkless = new Set<unknown>(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** The same without the disk's word: for files that are only a view of something durable. */
export function writeAtomically(path: string, text: string): void {
  // A name that no crash has left: of a file that is there, unsynced, a power loss may keep the end of the old text.
  const temporary = temporaryIn(dirname(path));
  replace(temporary, path, () => writeFileSync(temporary, text));
}

/** Makes it and those above it. A new folder's name lies in the one above: unless that is synced, power loss takes all that is in it. */
export function makeFolder(folder: string): void {
  // Absolute, as its answer is then: the first folder that it made.
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

/** A write that fails (a full disk) leaves no temporary file behind. */
function replace(temporary: string, path: string, write: () => void): void {
  try {
    write();
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw about(path, error);
  }
}

/** A failed write names no file, and a failed opening the temporary one. */
function about(path: string, error: unknown): unknown {
  return error instanceof Error ? Object.assign(error, { path }) : error;
}

function writeSynced(path: string, text: string | Uint8Array, mode: number | undefined): void {
  const fd = openSync(path, "wx");
  try {
    if (mode !== undefined && fstatSync(fd).mode !== mode) fchmodSync(fd, mode);
    // Not writeSync: on a disk that is nearly full it writes a part and says so only in its result.
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
