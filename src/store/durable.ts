/** Files that are there or not there, never half: temp file, fsync, rename, fsync of the folder. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

/** Writes `text` to `path` so that a crash leaves the old file or the new one, and the new one survives power loss. */
export function writeDurably(path: string, text: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  const temporary = join(folder, `.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`);
  writeSynced(temporary, text, "wx");
  renameSync(temporary, path);
  syncFolder(folder);
}

/** The same without the disk's word: for files that are only a view of something durable. */
export function writeAtomically(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  const fd = openSync(temporary, "w");
  writeSync(fd, text);
  closeSync(fd);
  renameSync(temporary, path);
}

export function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  fsyncSync(fd);
  closeSync(fd);
}

function writeSynced(path: string, text: string, flags: string): void {
  const fd = openSync(path, flags);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
