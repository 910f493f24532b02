/**
 * The index of a workspace as the last snapshot left it: with it git need not read files again that have not changed since.
 * It is this process's own memory, so an index of an earlier run, which a power loss may have torn, is never used.
 */
import {
  constants,
  copyFileSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { attempt } from "../../core/error/attempt.ts";
import { indexWith } from "../objects/index-file.ts";
import type { Change } from "../objects/tree-diff.ts";

/** The commit that the kept index of a workspace is of. */
const heads = new Map<string, string>();

/** Beside the workspace: it goes with it. */
export function keptIndex(workspace: string): string {
  return `${workspace}.index`;
}

/** Keeps `index`, which is that of `head` in `workspace`, with what git knows of each file: the file itself where nobody needs it any more. */
export function keepIndex(
  workspace: string,
  { index, head, isNeeded }: { index: string; head: string; isNeeded: boolean },
): void {
  heads.delete(workspace);
  if (isNeeded) copyIndex(index, keptIndex(workspace));
  else renameSync(index, keptIndex(workspace));
  heads.set(workspace, head);
}

/** Puts the kept index, with what has changed since its commit, at `to`; whether it could. */
export function takeChangedIndex(workspace: string, to: string, changes: readonly Change[]): boolean {
  const head = heads.get(workspace);
  if (head === undefined) return false;
  const kept = keptIndex(workspace);
  return attempt(() => {
    const index = indexWith(readFileSync(kept), changes, head.length / 2);
    if (index) writeFileSync(to, index);
    if (index) makeAsOld(to, kept);
    return index !== undefined;
  }, false);
}

/** The commit that the kept index is of. */
export function keptHead(workspace: string): string | undefined {
  return heads.get(workspace);
}

/** Puts the kept index, if there is one, at `to`; returns the commit that it is of. */
export function takeKeptIndex(workspace: string, to: string): string | undefined {
  const head = heads.get(workspace);
  if (head !== undefined) copyIndex(keptIndex(workspace), to);
  return head;
}

export function forgetIndex(workspace: string): void {
  heads.delete(workspace);
}

function copyIndex(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  makeAsOld(to, from);
}

/**
 * What is made of an index is as old as that, to the second below: git reads a file again whose time is not before its index's
 * (see racy-git in git's technical documentation), and takes a younger index's word for it.
 */
function makeAsOld(index: string, old: string): void {
  const seconds = Math.floor(statSync(old).mtimeMs / 1_000);
  utimesSync(index, seconds, seconds);
}
