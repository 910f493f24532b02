/** Removes pipes (FIFOs) from paths that git reads: git would open the pipe and wait for a writer that never comes. */
import { lstatSync, readdir, rmSync, statSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";
import type { Dirent } from "node:fs";
import { join, relative } from "node:path";

/** Names of files that git reads in every folder of a worktree. */
const readByGit = new Set([".gitignore", ".gitattributes", ".gitmodules", ".mailmap"]);

/** The part of a worktree to search: all of it, only its `.git`, or all but its `.git`. */
export type Part = "all" | "git" | "files";

/**
 * Removes every pipe below `folder`, and every link to a pipe, that git would open; a pipe contains no data. Returns their
 * paths below `folder`. Links to folders are not followed.
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
  // Callbacks: a promise for each of thousands of folders takes four times as long.
  const look = (inside: string, ofGit: boolean): void => {
    reading += 1;
    readdir(inside, { withFileTypes: true }, (error, entries) => {
      try {
        // Git cannot read an unreadable folder either.
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
