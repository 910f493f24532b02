/** Folders that an agent had in hand: taken back from it, or removed. */
import { chmodSync, lstatSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { attempt } from "../core/error/attempt.ts";
import { lentBy } from "./copy-objects.ts";
import { removePipes } from "./pipes.ts";

/** Whether `path` is a folder itself, and no link to one: an agent may put a link to the person's repository in its place. */
export function isOwnFolder(path: string): boolean {
  // lstat throws if a parent folder is now a file.
  return attempt(() => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true, false);
}

/**
 * Takes a folder back from an agent: the rights to it and to its .git, which the agent may have taken from itself and so from
 * the runner, and the pipes at which git would wait. Returns the pipes, which are removed.
 */
export async function takeBack(workspace: string): Promise<string[]> {
  takeRights(workspace);
  return removePipes(workspace);
}

/** The same for its .git alone, for a fetch: whoever reads the worktree removes the pipes there. */
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

/** What git reads of a .git that it fetches from. */
const served = ["HEAD", "packed-refs", "shallow", "objects", "refs", "reftable"];
/** By these git takes another folder for the .git that it was given: see enter_repo in its path.c, and gitrepository-layout(5). */
const elsewhere = [".git/commondir", ".git/.git", ".git.git"];

/**
 * The first part of a workspace's .git by which a fetch would bring what is not the agent's: another repository on the machine,
 * which a sandbox hides from the agent. Undefined where there is none. `objects`: those of the person's repository, from which
 * the clone may borrow, as from those that are lent to them.
 */
export function foreignPart(workspace: string, objects: string): string | undefined {
  const git = join(workspace, ".git");
  const kind = (path: string) =>
    attempt(() => lstatSync(join(workspace, path), { throwIfNoEntry: false }), undefined);
  if (kind(".git") && !isOwnFolder(git)) return ".git";
  const other = elsewhere.find((path) => kind(path));
  if (other) return other;
  const lent = [objects, ...lentBy(objects)];
  const borrows = lentBy(join(git, "objects")).some((folder) => !lent.includes(folder));
  if (borrows) return ".git/objects/info/alternates";
  const own = attempt(() => `${realpathSync(git)}/`, "");
  const link = linksBelow(git, "").find((name) => {
    const to = attempt(() => realpathSync(join(git, name)), undefined);
    return to !== undefined && !to.startsWith(own);
  });
  return link === undefined ? undefined : join(".git", link);
}

/** Folders are read with their entries' types: a clone may have thousands of objects, and nothing is asked of each. */
function linksBelow(git: string, folder: string): string[] {
  return attempt(() => readdirSync(join(git, folder), { withFileTypes: true }), []).flatMap((entry) => {
    const name = join(folder, entry.name);
    if (folder === "" && !served.includes(entry.name)) return [];
    if (entry.isSymbolicLink()) return [name];
    return entry.isDirectory() ? linksBelow(git, name) : [];
  });
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

/** The same beside whatever else is done. Never throws. */
export async function removeAside(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => attempt(() => removeTree(path), undefined));
}

/** A folder and all folders in it; links are not followed. */
export function makeWritable(folder: string): void {
  if (!isOwnFolder(folder)) return;
  chmodSync(folder, 0o700);
  for (const name of readdirSync(folder)) makeWritable(join(folder, name));
}
