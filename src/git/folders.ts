/** Folders in which an agent worked: takes them back, or removes them. */
import { chmodSync, existsSync, lstatSync, readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { attempt } from "../core/error/attempt.ts";
import { lentBy } from "./copy-objects.ts";
import { removePipes } from "./pipes.ts";

/** Whether `path` is a folder and not a link: an agent may put a link to the person's repository in its place. */
export function isOwnFolder(path: string): boolean {
  // lstat throws if a parent folder is now a file.
  return attempt(() => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true, false);
}

/** The text of a file that a session may have replaced by a link, a device or a pipe; empty for these, and for a longer one. */
export function fileText(path: string, bytesMax: number): string {
  const stat = attempt(() => lstatSync(path), undefined);
  return stat?.isFile() && stat.size <= bytesMax ? attempt(() => readFileSync(path, "latin1"), "") : "";
}

/**
 * Restores the owner's rights to a workspace and its .git, which an agent may have removed, and removes the pipes at which git
 * would wait. Returns the paths of the removed pipes.
 */
export async function takeBack(workspace: string): Promise<string[]> {
  takeRights(workspace);
  return removePipes(workspace);
}

/** Takes back the workspace's .git alone, for a fetch; code that reads the worktree removes the pipes there. */
export async function takeGitBack(workspace: string): Promise<string[]> {
  takeRights(workspace);
  return removePipes(workspace, "git");
}

function takeRights(workspace: string): void {
  for (const folder of [workspace, join(workspace, ".git")].filter(isOwnFolder)) {
    const { mode } = lstatSync(folder);
    if ((mode & 0o700) !== 0o700) chmodSync(folder, (mode & 0o7777) | 0o700);
  }
}

/** The parts of a .git that git reads during a fetch. */
const served = ["HEAD", "packed-refs", "shallow", "objects", "refs", "reftable"];
/** Paths that make git use another folder than the given `.git`: see enter_repo in git's path.c, and gitrepository-layout(5). */
const elsewhere = ["/commondir", "/.git", ".git"];

/**
 * The first part of a git directory in a clone that would make a fetch read outside of it, such as another repository that
 * the sandbox hides from the agent; undefined if there is none. It may borrow from `objects`, the person's object folder, and
 * from the folders that `objects` borrows from.
 */
export function foreignPart(git: string, objects: string): string | undefined {
  const name = basename(git);
  const isThere = (path: string) =>
    attempt(() => lstatSync(path, { throwIfNoEntry: false }), undefined) !== undefined;
  if (isThere(git) && !isOwnFolder(git)) return name;
  const other = elsewhere.find((end) => isThere(git + end));
  if (other !== undefined) return name + other;
  const lent = [objects, ...lentBy(objects)];
  const borrows = lentBy(join(git, "objects")).some((folder) => !lent.includes(folder));
  if (borrows) return join(name, "objects/info/alternates");
  const own = attempt(() => `${realpathSync(git)}/`, "");
  const link = linksBelow(git, "").find((path) => {
    const to = attempt(() => realpathSync(join(git, path)), undefined);
    return to !== undefined && !to.startsWith(own);
  });
  return link === undefined ? undefined : join(name, link);
}

/** Reads folders with their entries' types, without a stat for each of the thousands of objects that a clone may have. */
function linksBelow(git: string, folder: string): string[] {
  return attempt(() => readdirSync(join(git, folder), { withFileTypes: true }), []).flatMap((entry) => {
    const name = join(folder, entry.name);
    if (folder === "" && !served.includes(entry.name)) return [];
    if (entry.isSymbolicLink()) return [name];
    return entry.isDirectory() ? linksBelow(git, name) : [];
  });
}

/**
 * Paths of the regular files below a folder, without following a link: Node's own recursive reading follows links, and does not
 * end where two of them lead in a circle.
 */
export function filesBelow(folder: string): string[] {
  return attempt(() => readdirSync(folder, { withFileTypes: true }), []).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/** Git directories of submodules, and of theirs. */
export function gitDirsBelow(own: string, folder: string): string[] {
  return attempt(() => readdirSync(join(own, folder), { withFileTypes: true }), []).flatMap((entry) => {
    const at = join(own, folder, entry.name);
    if (!entry.isDirectory()) return [];
    return existsSync(join(at, "HEAD"))
      ? [at, ...gitDirsBelow(at, "modules")]
      : gitDirsBelow(own, join(folder, entry.name));
  });
}

/** Removes a tree, including read-only folders (a module cache is full of them); links are removed, not followed. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    makeWritable(path);
    rmSync(path, { recursive: true, force: true });
  }
}

/** Removes a tree without blocking other work. Never throws. */
export async function removeAside(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => attempt(() => removeTree(path), undefined));
}

/** Makes a folder and all folders in it writable; links are not followed. */
export function makeWritable(folder: string): void {
  if (!isOwnFolder(folder)) return;
  chmodSync(folder, 0o700);
  for (const name of readdirSync(folder)) makeWritable(join(folder, name));
}
