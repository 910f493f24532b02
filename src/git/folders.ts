/** Folders that an agent had in hand: taken back from it, or removed. */
import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removePipes } from "./pipes.ts";

/** Whether `path` is a folder itself, and no link to one: an agent may put a link to the person's repository in its place. */
export function isOwnFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // A file stands in the place of a folder on the way.
    return false;
  }
}

/**
 * Takes a folder back from an agent: the rights to it and to its .git, which the agent may have taken from itself and so from
 * the runner, and the pipes at which git would wait. Returns the pipes, which are removed.
 */
export async function takeBack(workspace: string): Promise<string[]> {
  for (const folder of [workspace, join(workspace, ".git")].filter(isOwnFolder)) {
    const { mode } = lstatSync(folder);
    if ((mode & 0o700) !== 0o700) chmodSync(folder, (mode & 0o7777) | 0o700);
  }
  return removePipes(workspace);
}

/** Removes a tree, read-only folders in it too (a module cache is full of them); links are removed, not followed. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    makeWritable(path);
    rmSync(path, { recursive: true, force: true });
  }
}

/** A folder and all folders in it; links are not followed. */
export function makeWritable(folder: string): void {
  if (!isOwnFolder(folder)) return;
  chmodSync(folder, 0o700);
  for (const name of readdirSync(folder)) makeWritable(join(folder, name));
}
