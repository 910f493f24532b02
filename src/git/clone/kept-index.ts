/**
 * The index of a clone as its checkout or the last snapshot left it: with it git need not read or write files again that have not changed since.
 * It is this process's own memory, so an index of an earlier run, which a power loss may have torn, is never used.
 */
import { constants, copyFileSync, statSync, statfsSync, utimesSync } from "node:fs";

/** The commit that the kept index of a workspace is of. */
const heads = new Map<string, string>();

/** Beside the workspace: it goes with it. */
export function keptIndex(workspace: string): string {
  return `${workspace}.index`;
}

/** Keeps `index`, which is that of `head` in `workspace`, with what git knows of each file. */
export function keepIndex(workspace: string, index: string, head: string): void {
  heads.delete(workspace);
  if (!timesTell(workspace)) return;
  copyIndex(index, keptIndex(workspace));
  heads.set(workspace, head);
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

/** Puts the kept index, if there is one, at `to`; returns the commit that it is of. */
export function takeKeptIndex(workspace: string, to: string): string | undefined {
  const head = heads.get(workspace);
  if (head !== undefined) copyIndex(keptIndex(workspace), to);
  return head;
}

export function forgetIndex(workspace: string): void {
  heads.delete(workspace);
}

/**
 * The copy is as old as what is copied, to the second below: git reads a file again whose time is not before its index's (see
 * racy-git in git's technical documentation), and takes a younger index's word for it.
 */
function copyIndex(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  const seconds = Math.floor(statSync(from).mtimeMs / 1_000);
  utimesSync(to, seconds, seconds);
}
