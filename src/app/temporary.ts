/** Temporary folders of commands that are not a relay's: what a killed command left is removed by the next one. */
import { attempt } from "../core/error/attempt.ts";
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isOwnFolder } from "../git/folders.ts";
import { temporaryRoot } from "../io/io.ts";
import { isLocked, tryLock } from "../store/lock.ts";

/** Between the making of a folder and its lock. */
const newMs = 60_000;

const commands = ["check", "issue", "probe", "version"] as const;

export type Temporary = { folder: string; remove(): void };

/** A folder in the system's own, locked by this process as long as it lives. */
export function makeTemporary(what: (typeof commands)[number]): Temporary {
  const prefix = `monoco-${what}-`;
  for (const left of abandonedWith(prefix)) removeAbandoned(left);
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

/** What killed commands left. */
export function abandonedTemporaries(): string[] {
  return commands.flatMap((what) => abandonedWith(`monoco-${what}-`));
}

function abandonedWith(prefix: string): string[] {
  const names = readdirSync(temporaryRoot()).filter((name) => name.startsWith(prefix));
  return names.map((name) => join(temporaryRoot(), name)).filter(isAbandoned);
}

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

/** Looks again: another command may have taken it away. */
export function removeAbandoned(folder: string): void {
  try {
    if (isAbandoned(folder)) rmSync(folder, { recursive: true, force: true });
  } catch {
    return;
  }
}
