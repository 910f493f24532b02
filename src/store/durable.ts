/** Files that are there or not there, never half: temp file, fsync, rename, fsync of the folder. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Writes `text` to `path` so that a crash leaves the old file or the new one, and the new one survives power loss. */
export function writeDurably(path: string, text: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  const temporary = join(folder, `.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`);
  replace(temporary, path, () => writeSynced(temporary, text));
  syncFolder(folder);
}

/** The same without the disk's word: for files that are only a view of something durable. */
export function writeAtomically(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  replace(temporary, path, () => writeFileSync(temporary, text));
}

export function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  fsyncSync(fd);
  closeSync(fd);
}

/** A write that fails (a full disk) leaves no temporary file behind. */
function replace(temporary: string, path: string, write: () => void): void {
  try {
    write();
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeSynced(path: string, text: string): void {
  const fd = openSync(path, "wx");
  try {
    // Not writeSync: on a disk that is nearly full it writes a part and says so only in its result.
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
