/**
 * The index of a clone as its checkout or the last snapshot left it: with it git need not read or write files again that have not changed since.
 * It is this process's own memory, so an index of an earlier run, which a power loss may have torn, is never used.
 */
import {
  constants,
  copyFileSync,
  lstatSync,
  readFileSync,
  renameSync,
  statSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { attempt } from "../../core/error/attempt.ts";
import { makeAsOld } from "./racy-files.ts";
import { indexWith } from "../objects/index-file.ts";
import { changesBetween } from "../objects/tree-diff.ts";
import type { Change } from "../objects/tree-diff.ts";
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

/** A head whose objects are `there` only once git has checked them: what it differs in from the commit `before` is as its pack has it. */
export type Coming = { before: string; changes: Change[] | undefined; there: Promise<unknown> };

/** Makes the index that of `head`: of the one that the last snapshot kept where it may be, and by a git only where monoco cannot. */
export async function beginIndex(
  { run, ask }: { run: Git; ask: Git["ask"] },
  at: { workspace: string; index: string; head: string; keepsIndex: boolean; coming: Coming | undefined },
): Promise<void> {
  const { workspace, index, head, keepsIndex, coming } = at;
  const kept = keepsIndex ? keptHead(workspace) : undefined;
  const ahead = kept !== undefined && kept === coming?.before && coming.changes;
  const isMade = ahead && takeChangedIndex(workspace, index, ahead);
  await coming?.there;
  if (isMade) return;
  const changes = kept !== undefined && kept !== head && (await changesBetween(ask, kept, head));
  if (changes && takeChangedIndex(workspace, index, changes)) return;
  if (kept !== undefined) takeKeptIndex(workspace, index);
  if (kept !== head) await run(["read-tree", ...(kept === undefined ? [] : ["-i", "-m"]), head], ofOwnFiles);
}

/** It reads none of the worktree's. */
const ofOwnFiles = { msMax: gitMsMax };

/** Puts the kept index, with what has changed since its commit, at `to`; whether it could. */
function takeChangedIndex(workspace: string, to: string, changes: readonly Change[]): boolean {
  const head = keptHead(workspace);
  if (head === undefined) return false;
  const kept = keptIndex(workspace);
  return attempt(() => {
    const index = indexWith(readFileSync(kept), changes, head.length / 2);
    if (index) writeFileSync(to, index);
    if (index) makeAsOld(to, statSync(kept).mtimeMs);
    return index !== undefined;
  }, false);
}

/** Puts the kept index, if there is one, at `to`; returns the commit that it is of. */
export function takeKeptIndex(workspace: string, to: string): string | undefined {
  const head = keptHead(workspace);
  if (head !== undefined) copyIndex(keptIndex(workspace), to);
  return head;
}

export function forgetIndex(workspace: string): void {
  indexes.delete(workspace);
}

/** What is made of an index is as old as that. */
function copyIndex(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  makeAsOld(to, statSync(from).mtimeMs);
}
