/** Temporary folders of commands that are not a relay's: what a killed command left is removed by the next one. */
import { attempt } from "../core/error/attempt.ts";
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isOwnFolder } from "../git/folders.ts";
import { temporaryRoot } from "../io/io.ts";
import { isLocked, tryLock } from "../store/lock.ts";

/** Between the making of a folder and its lock. */
const newMs = 60_000;

export type Temporary = { folder: string; remove(): void };

/** A folder in the system's own, locked by this process as long as it lives. */
export function makeTemporary(what: "check" | "issue" | "probe" | "version"): Temporary {
  const prefix = `monoco-${what}-`;
  for (const name of readdirSync(temporaryRoot()))
    if (name.startsWith(prefix)) removeAbandoned(join(temporaryRoot(), name));
  const folder = mkdtempSync(join(temporaryRoot(), prefix));
  const lock = tryLock(lockOf(folder));
  return {
    folder,
    remove: () => {
      lock?.release();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const lockOf = (folder: string): string => join(folder, ".monoco-lock");

/** Another user's is not: it may not even be looked into. Nor is what has the name alone, and no lock: it is somebody else's. */
function isAbandoned(folder: string): boolean {
  return attempt(() => {
    const { mtimeMs } = lstatSync(folder);
    return (
      Date.now() - mtimeMs >= newMs &&
      isOwnFolder(folder) &&
      existsSync(lockOf(folder)) &&
      !isLocked(lockOf(folder))
    );
  }, false);
}

/** Another command may take it away, too. */
function removeAbandoned(folder: string): void {
  try {
    if (isAbandoned(folder)) rmSync(folder, { recursive: true, force: true });
  } catch {
    return;
  }
}
