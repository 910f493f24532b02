/** Writes the changes of an install or uninstall; the record with everybody's own bytes is on the disk before them. */
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

/** Beside the relays of the repository, or in the person's own state. */
export function recordPath(here: Here | undefined): string {
  const folder = here ? repositoryPlaces(here.repository.root, io().env).monoco : stateFolder(io().env);
  return join(folder, "hooks.json");
}

/** Those that differ are written. */
export function install(record: string, changes: readonly Change[]): void {
  const known = readInstalled(record);
  const written = changes.filter(differs);
  if (written.length === 0) return;
  const folders = written.flatMap(({ path }) => missingAbove(path));
  const files = written.map((change) => remembered(change, known.files));
  writeInstalled(record, {
    v: 1,
    files: [...known.files.filter(({ path }) => files.every((one) => one.path !== path)), ...files],
    folders: [...new Set([...known.folders, ...folders])],
  });
  for (const { path, after } of written) {
    mkdirSync(dirname(path), { recursive: true });
    if (after) writeDurably(path, after);
  }
}

/** `forgotten` are all files that are looked at: what is not ours any more is not remembered either. */
export function uninstall(record: string, changes: readonly Change[], forgotten: readonly string[]): void {
  const known = readInstalled(record);
  for (const { path, after } of changes.filter(differs)) {
    if (after) writeDurably(path, after);
    else rmSync(path, { force: true });
  }
  const gone = new Set([...forgotten, ...changes.map(({ path }) => path)]);
  const files = known.files.filter(({ path }) => !gone.has(path));
  // One with a file of somebody's in it stays.
  for (const folder of known.folders.toSorted(deepestFirst)) attempt(() => rmdirSync(folder), undefined);
  writeInstalled(record, { v: 1, files, folders: known.folders.filter((folder) => existsSync(folder)) });
}

/** The files of a worktree that are as monoco made them: their differences from the commit are not anybody's work. */
export function installedIn(here: Here, worktree: string): Set<string> {
  const { files } = readInstalled(recordPath(here));
  const ours = files.filter(({ path, after }) => existsSync(path) && sha256(readFileSync(path)) === after);
  return new Set(ours.map(({ path }) => relative(worktree, path)).filter((path) => !path.startsWith("..")));
}

export function differs({ before, after }: Change): boolean {
  return before === undefined || after === undefined ? before !== after : !before.equals(after);
}

/** What was there before the first time stays the file's "before", while nobody else has written it since. */
function remembered({ path, before, after }: Change, known: Installed["files"]): InstalledFile {
  const earlier = known.find((one) => one.path === path);
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
