/** Repositories of their own inside a clone (linked worktrees, further clones): `git add --all` would record them as submodules. */
import { attempt } from "../../core/error/attempt.ts";
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isOwnFolder, makeWritable, removeTree } from "../folders.ts";

/** Makes git ignore these folders of a clone in which nothing runs. */
export function ignoreFolders(workspace: string, paths: readonly string[]): void {
  const info = join(workspace, ".git", "info");
  if (!isOwnFolder(info)) {
    removeTree(info);
    mkdirSync(info);
  }
  makeWritable(info);
  const file = join(info, "exclude");
  const isFile = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
  const before = isFile ? attempt(() => readFileSync(file, "utf8"), "") : "";
  const known = new Set(before.split("\n"));
  const missing = paths.map(patternFor).filter((pattern) => !known.has(pattern));
  if (missing.length === 0) return;
  // A session may have put a link to another file in its place.
  removeTree(file);
  writeFileSync(file, `${before}\n${missing.join("\n")}\n`, { flag: "wx" });
}

/** The pattern of gitignore(5) for one folder; it cannot name a line break, and takes any character there. */
function patternFor(path: string): string {
  return `/${path.replaceAll(/[\\*?[ ]/g, "\\$&").replaceAll("\n", "?")}/`;
}
