/** Pipes where git looks for a file: it would open them, and wait for a writer that never comes. */
import { rmSync, statSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

/** Files that git reads wherever they are in a worktree. */
const readByGit = new Set([".gitignore", ".gitattributes", ".gitmodules", ".mailmap"]);

/**
 * Removes every pipe below `folder`, and every link to one, that git would open: a pipe holds nothing that could be lost.
 * Returns their paths in it. Links to folders are not followed.
 */
export async function removePipes(folder: string): Promise<string[]> {
  const removed: string[] = [];
  const look = async (inside: string, ofGit: boolean): Promise<void> => {
    const below: Promise<void>[] = [];
    for (const entry of await entriesOf(inside)) {
      const path = join(inside, entry.name);
      if (entry.isDirectory()) below.push(look(path, ofGit || entry.name === ".git"));
      else if ((ofGit || readByGit.has(entry.name)) && isPipe(entry, path)) {
        rmSync(path, { force: true });
        removed.push(relative(folder, path));
      }
    }
    await Promise.all(below);
  };
  await look(folder, false);
  return removed.toSorted();
}

/** None where the folder may not be read: git does not read it either. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isPipe(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isFIFO();
  return attempt(() => statSync(path).isFIFO(), false);
}
