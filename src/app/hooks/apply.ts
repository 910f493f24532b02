/** Writes the changes of an install or uninstall, after the record with the files' original bytes. */
import { existsSync, mkdirSync, readFileSync, rmSync, rmdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import type { Installed, InstalledFile } from "../../core/hooks/installed.ts";
import { writeDurably } from "../../store/durable.ts";
import { readInstalled, writeInstalled } from "./record.ts";
import { repositoryPlaces, stateFolder } from "../../store/places.ts";
import { io } from "../../io/io.ts";
import type { Here } from "../here.ts";
import { sha256 } from "./change.ts";
import type { Change } from "./change.ts";

/** The path of the record: next to the repository's relays, or in the person's own state. */
export function recordPath(here: Here | undefined): string {
  const folder = here ? repositoryPlaces(here.repository.root, io().env).monoco : stateFolder(io().env);
  return join(folder, "hooks.json");
}

/** Writes the files that differ. */
export function install(record: string, changes: readonly Change[]): void {
  const installed = readInstalled(record);
  const written = changes.filter(differs);
  if (written.length === 0) return;
  const folders = written.flatMap(({ path }) => missingAbove(path));
  const files = written.map((change) => remembered(change, installed.files));
  writeInstalled(record, {
    v: 1,
    files: [...installed.files.filter(({ path }) => files.every((one) => one.path !== path)), ...files],
    folders: [...new Set([...installed.folders, ...folders])],
  });
  for (const { path, after } of written) {
    mkdirSync(dirname(path), { recursive: true });
    if (after) writeDurably(path, after);
  }
}

/** Undoes the changes. `forgotten` are all files that were looked at: the record drops those that are no longer monoco's. */
export function uninstall(record: string, changes: readonly Change[], forgotten: readonly string[]): void {
  const installed = readInstalled(record);
  for (const { path, after } of changes.filter(differs)) {
    if (after) writeDurably(path, after);
    else rmSync(path, { force: true });
  }
  const gone = new Set([...forgotten, ...changes.map(({ path }) => path)]);
  const files = installed.files.filter(({ path }) => !gone.has(path));
  // A folder with another file in it stays.
  for (const folder of installed.folders.toSorted(deepestFirst)) attempt(() => rmdirSync(folder), undefined);
  writeInstalled(record, { v: 1, files, folders: installed.folders.filter((folder) => existsSync(folder)) });
}

/** The files of a worktree that are as monoco wrote them: their differences from the commit are nobody's work. */
export function installedIn(here: Here, worktree: string): Set<string> {
  const { files } = readInstalled(recordPath(here));
  const ours = files.filter(({ path, after }) => existsSync(path) && sha256(readFileSync(path)) === after);
  return new Set(ours.map(({ path }) => relative(worktree, path)).filter((path) => !path.startsWith("..")));
}

export function differs({ before, after }: Change): boolean {
  return before === undefined || after === undefined ? before !== after : !before.equals(after);
}

/** The record of a file: the first "before" stays until somebody else has written the file. */
function remembered({ path, before, after }: Change, files: Installed["files"]): InstalledFile {
  const earlier = files.find((one) => one.path === path);
  const unchanged = earlier && before && sha256(before) === earlier.after;
  const own = unchanged ? earlier.before : before?.toString("base64");
  return { path, after: sha256(after!), ...(own === undefined ? {} : { before: own }) };
}

function missingAbove(path: string): string[] {
  const folder = dirname(path);
  return existsSync(folder) ? [] : [folder, ...missingAbove(folder)];
}

function deepestFirst(one: string, other: string): number {
  return other.length - one.length;
}
