/** Repositories of their own inside a clone: `git add --all` would record them as submodules. */
import { attempt } from "../../core/error/attempt.ts";
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isOwnFolder, makeWritable, removeTree } from "../folders.ts";
import { worktreesInside } from "../worktrees.ts";

const [begin, end] = ["# monoco:repositories:begin", "# monoco:repositories:end"];

/**
 * Those of these folders that are no part of the work: linked worktrees, and clones, which have a remote. What `git init` made (a
 * generator of projects, say) may be all of the work.
 */
export function othersIn(workspace: string, paths: readonly string[]): string[] {
  const worktrees = worktreesInside(workspace);
  const hasRemote = (path: string): boolean =>
    attempt(() => /^\[remote "/m.test(readFileSync(join(workspace, path, ".git/config"), "utf8")), false);
  return paths.filter((path) => worktrees.includes(path) || hasRemote(path));
}

/** Makes git ignore these folders of a clone in which nothing runs, and none of those that it was made to ignore before. */
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
  const others = before.replace(new RegExp(`${begin}\n[^]*?${end}\n`), "");
  const patterns = paths.map((path) => `${patternFor(path)}\n`);
  const after = patterns.length === 0 ? others : `${others}${begin}\n${patterns.join("")}${end}\n`;
  if (after === before) return;
  // A session may have put a link to another file in its place.
  removeTree(file);
  writeFileSync(file, after, { flag: "wx" });
}

/** The pattern of gitignore(5) for one folder; it cannot name a line break, and takes any character there. */
function patternFor(path: string): string {
  return `/${path.replaceAll(/[\\*?[ ]/g, "\\$&").replaceAll("\n", "?")}/`;
}
