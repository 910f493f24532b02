/**
 * Moves refs that monoco alone moves, those below refs/monoco, without a git: as git's own files have it, by a lock beside the ref, a
 * look at what it is, and a rename. Where anything is unusual nothing is moved, and git is to be asked.
 */
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { packedRefsBytesMax } from "../../core/limits.ts";
import type { Git } from "../git.ts";
import { plainStore } from "./plain-store.ts";

/** No expectation is "whatever it is", "" is "must not exist". */
export type RefMove = { ref: string; to: string; expected?: string };

/** Whether all of them were moved; else none was, and git says why, or can. */
export async function moveByHand(git: Git, moves: readonly RefMove[]): Promise<boolean> {
  if (moves.length === 0 || !moves.every(isUsual) || !areApart(moves)) return false;
  const store = plainStore(git);
  if (!store) return false;
  const hashes = [...new Set(moves.map(({ to }) => to))];
  const found = await Promise.all(hashes.map(async (hash) => git.ask?.("info", hash)));
  if (found.some((one) => one === undefined || one === "nothing")) return false;
  return attempt(() => move(store.commonDir, moves), false);
}

/** Whether nothing lies below `name`; false also where only git can tell. */
export function hasNoneBelow(git: Git, name: string): boolean {
  const store = isOwn(name) ? plainStore(git) : undefined;
  if (!store) return false;
  return attempt(() => {
    const isThere = lstatSync(join(store.commonDir, name), { throwIfNoEntry: false }) !== undefined;
    return !isThere && !packedIn(store.commonDir).includes(` ${name}/`);
  }, false);
}

const isOwn = (ref: string): boolean => /^refs\/monoco(?:\/[\w-]+)+$/.test(ref);
const isHash = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) && /[^0]/.test(text);

const isUsual = ({ ref, to, expected }: RefMove): boolean =>
  isOwn(ref) && isHash(to) && (expected === undefined || expected === "" || isHash(expected));

/** A name that is another one's folder is for git to refuse. */
function areApart(moves: readonly RefMove[]): boolean {
  const names = moves.map(({ ref }) => ref);
  return new Set(names).size === names.length && !names.some((one) => isFolderOf(one, names));
}

const isFolderOf = (one: string, names: readonly string[]): boolean =>
  names.some((other) => other.startsWith(`${one}/`));

type Held = { path: string; fd: number; isMoved: boolean };

/** In one piece of work: what is looked at under the locks is so until the last rename. */
function move(commonDir: string, moves: readonly RefMove[]): boolean {
  const held: Held[] = [];
  try {
    for (const { ref, to, expected } of moves) {
      // A ref that has a log is git's to move.
      if (existsSync(join(commonDir, "logs", ref))) return false;
      const path = join(commonDir, ref);
      mkdirSync(dirname(path), { recursive: true });
      held.push({ path, fd: openSync(`${path}.lock`, "wx"), isMoved: false });
      const now = valueOf(commonDir, ref);
      if (expected !== undefined && now !== expected) return false;
      writeFileSync(held.at(-1)!.fd, `${to}\n`);
    }
    for (const one of held) {
      renameSync(`${one.path}.lock`, one.path);
      one.isMoved = true;
    }
    return true;
  } finally {
    // Open until then: whoever looks for the holder of a lock finds this process.
    for (const { path, fd, isMoved } of held) {
      if (!isMoved) rmSync(`${path}.lock`, { force: true });
      closeSync(fd);
    }
  }
}

/** The hash of a ref, or "" if it does not exist. Throws if the ref is symbolic or damaged, or if its name conflicts with another one. */
function valueOf(commonDir: string, ref: string): string {
  const path = join(commonDir, ref);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat) {
    const text = stat.isFile() ? readFileSync(path, "latin1") : "";
    if (!isHash(text.trimEnd()) || !text.endsWith("\n")) throw new Error(path);
    return text.trimEnd();
  }
  const packed = packedIn(commonDir);
  if (packed.includes(` ${ref}/`)) throw new Error(path);
  for (let above = dirname(ref); above !== "refs"; above = dirname(above))
    if (packed.includes(` ${above}\n`)) throw new Error(path);
  const end = packed.indexOf(` ${ref}\n`);
  return end < 0 ? "" : packed.slice(packed.lastIndexOf("\n", end) + 1, end);
}

/** Throws where it is too long to be read in one piece of work. */
function packedIn(commonDir: string): string {
  const path = join(commonDir, "packed-refs");
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return "";
  if (!stat.isFile() || stat.size > packedRefsBytesMax) throw new Error(path);
  return readFileSync(path, "latin1");
}
