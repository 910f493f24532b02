/**
 * The index of a clone as its checkout or the last snapshot left it: with it git need not read or write files again that have not changed since.
 * It is this process's own memory, so an index of an earlier run, which a power loss may have torn, is never used.
 */
import { constants, copyFileSync, lstatSync, renameSync, statSync, statfsSync, utimesSync } from "node:fs";
import { attempt } from "../../core/error/attempt.ts";
import { gitMsMax } from "../../core/limits.ts";
import type { Git } from "../git.ts";

/** The commit that the kept index of a workspace is of, and what the file was: without a sandbox a session can write beside its clone. */
const indexes = new Map<string, { head: string; state: string }>();

/** Beside the workspace: it goes with it. */
export function keptIndex(workspace: string): string {
  return `${workspace}.index`;
}

/** Keeps `index`, which is that of `head` in `workspace`, with what git knows of each file: the file itself where nobody needs it any more. */
export function keepIndex(
  workspace: string,
  { index, head, isNeeded }: { index: string; head: string; isNeeded: boolean },
): void {
  indexes.delete(workspace);
  if (!timesTell(workspace)) return;
  if (isNeeded) copyIndex(index, keptIndex(workspace));
  else renameSync(index, keptIndex(workspace));
  indexes.set(workspace, { head, state: stateOf(keptIndex(workspace)) });
}

/** Undefined where none is kept, or another file is in its place. */
function keptHead(workspace: string): string | undefined {
  const kept = indexes.get(workspace);
  const isOwn = kept !== undefined && attempt(() => stateOf(keptIndex(workspace)), undefined) === kept.state;
  return isOwn ? kept.head : undefined;
}

/** No write leaves all of it as it was. */
function stateOf(path: string): string {
  const { ino, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join();
}

/** Of the kernel's headers, linux/magic.h. */
const tmpfs = 0x01021994;

/**
 * Whether a file that was written has another time than before, however that was done. In memory (tmpfs) it has the same after a
 * write by a map of the file, and no index tells the two apart.
 */
export function timesTell(folder: string): boolean {
  return statfsSync(folder).type !== tmpfs;
}

/** Makes the index that of `head`: from the one that the last snapshot kept where there is one. */
export async function beginIndex(
  run: Git,
  at: { workspace: string; index: string; head: string; keepsIndex: boolean },
): Promise<void> {
  const { workspace, index, head, keepsIndex } = at;
  const kept = keepsIndex ? takeKeptIndex(workspace, index) : undefined;
  if (kept !== head) await run(["read-tree", ...(kept === undefined ? [] : ["-i", "-m"]), head], ofOwnFiles);
}

/** It reads none of the worktree's. */
const ofOwnFiles = { msMax: gitMsMax };

/** Puts the kept index, if there is one, at `to`; returns the commit that it is of. */
export function takeKeptIndex(workspace: string, to: string): string | undefined {
  const head = keptHead(workspace);
  if (head !== undefined) copyIndex(keptIndex(workspace), to);
  return head;
}

export function forgetIndex(workspace: string): void {
  indexes.delete(workspace);
}

/** A copy is as old as what it is made of, to the millisecond below: git would take the word of a younger one for files that were written since. */
function copyIndex(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  const seconds = Math.floor(statSync(from).mtimeMs) / 1_000;
  utimesSync(to, seconds, seconds);
}
