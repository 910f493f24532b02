/** Temporary folders of commands outside any relay: the next command removes the folders of a killed one. */
import { attempt } from "../core/error/attempt.ts";
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isOwnFolder } from "../git/folders.ts";
import { temporaryRoot } from "../io/io.ts";
import { isLocked, tryLock } from "../store/lock.ts";

/** The longest time between making a folder and locking it, ms. */
const newMs = 60_000;

export type Temporary = { folder: string; remove(): void };

/** Makes a temporary folder, locked by this process as long as it lives. */
export function makeTemporary(what: "check" | "issue" | "probe" | "verify" | "version" | "why"): Temporary {
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

/** Whether a killed command left the folder. Another user's folder may not even be looked into; a folder without a lock only shares the name. */
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

/** Removes the folder. Another command may remove it at the same time. */
function removeAbandoned(folder: string): void {
  try {
    if (isAbandoned(folder)) rmSync(folder, { recursive: true, force: true });
  } catch {
    return;
  }
}
