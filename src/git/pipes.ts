/** Pipes where git looks for a file: it would open them, and wait for a writer that never comes. */
import { lstatSync, readdir, rmSync, statSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";
import type { Dirent } from "node:fs";
import { join, relative } from "node:path";

/** Files that git reads wherever they are in a worktree. */
const readByGit = new Set([".gitignore", ".gitattributes", ".gitmodules", ".mailmap"]);

/** Of a worktree all of it, its `.git` alone, or all but that. */
export type Part = "all" | "git" | "files";

/**
 * Removes every pipe below `folder`, and every link to one, that git would open: a pipe holds nothing that could be lost.
 * Returns their paths in it. Links to folders are not followed.
 */
export function removePipes(folder: string, part: Part = "all"): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  const removed: string[] = [];
  const own = join(folder, ".git");
  let reading = 0;
  const visit = (entry: Dirent, inside: string, ofGit: boolean): void => {
    const isGit = entry.name === ".git";
    if (entry.isDirectory()) {
      if (isGit && part === "files" && inside === folder) return;
      look(`${inside}/${entry.name}`, ofGit || isGit);
    } else if (ofGit || readByGit.has(entry.name)) {
      const path = `${inside}/${entry.name}`;
      if (!isPipe(entry, path)) return;
      rmSync(path, { force: true });
      removed.push(relative(folder, path));
    }
  };
  // A promise for each folder takes four times as long where there are thousands.
  const look = (inside: string, ofGit: boolean): void => {
    reading += 1;
    readdir(inside, { withFileTypes: true }, (error, entries) => {
      try {
        // A folder that may not be read git does not read either.
        if (!error) for (const entry of entries) visit(entry, inside, ofGit);
      } catch (failure) {
        reject(failure);
      }
      reading -= 1;
      if (reading === 0) resolve(removed.toSorted());
    });
  };
  if (part !== "git") look(folder, false);
  else if (lstatSync(own, { throwIfNoEntry: false })?.isDirectory()) look(own, true);
  else resolve([]);
  return promise;
}

function isPipe(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isFIFO();
  return attempt(() => statSync(path).isFIFO(), false);
}
