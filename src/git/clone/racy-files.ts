/**
 * Files that were written in the second of their index. git, as it is usually built, tells times to the second, and reads each of them
 * again, however long ago that was (racy-git in its technical documentation). Nanoseconds, which an index has, too, tell which of them
 * nobody has touched since.
 */
import { lstatSync, readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { attempt } from "../../core/error/attempt.ts";
import { entriesOfSecond, sealed } from "../objects/index-file.ts";
import type { IndexEntry } from "../objects/index-file.ts";

type At = { index: string; folder: string; hashBytes: number };

/**
 * Calls `work`, in which git takes the word of `index` for the files of `folder` that nobody has touched since git looked at them.
 * Nothing else may be at work in `folder`, nor may have been when git wrote the index: a write through a map of a file can leave its
 * times as they were. Afterwards the index is as old as before, unless git has written it anew, or the second is over: whoever touches
 * a file then gives it a later time.
 *
 * `refresh` has git compare the files that are in doubt, for a `work` that writes such files instead.
 */
export async function readingLess<T>(
  at: At,
  work: () => Promise<T>,
  refresh?: () => Promise<unknown>,
): Promise<T> {
  // What cannot be done here is git's to do: the index is as it was.
  const doubts = attempt(() => forgetDoubted(at), undefined);
  if (doubts === undefined) return work();
  if (doubts === 0 || !refresh) return withYoungerIndex(at.index, work);
  await withYoungerIndex(at.index, refresh);
  return readingLess(at, work);
}

/** Calls `work` with an index of the next second. */
async function withYoungerIndex<T>(index: string, work: () => Promise<T>): Promise<T> {
  const before = lstatSync(index);
  const seconds = Math.floor(before.mtimeMs / 1_000) + 1;
  utimesSync(index, seconds, seconds);
  const set = lstatSync(index);
  // By the clock of the file system.
  const isOver = set.ctimeMs >= seconds * 1_000;
  try {
    return await work();
  } finally {
    const now = lstatSync(index, { throwIfNoEntry: false });
    if (now?.ino === set.ino && now.mtimeMs === set.mtimeMs && !isOver) makeAsOld(index, before.mtimeMs);
  }
}

/** Gives an index the age of another one, to the millisecond below: a younger one would be taken at its word. */
export function makeAsOld(index: string, mtimeMs: number): void {
  const seconds = Math.floor(mtimeMs) / 1_000;
  utimesSync(index, seconds, seconds);
}

/** Below this, git reads the files faster than they can be looked at here. */
const worthBytes = 1_000_000;
/** They are looked at synchronously: some 100 ms. */
const filesMax = 20_000;

/**
 * Takes from the index what it knows of the files that somebody may have touched, and answers how many; undefined where it is not worth
 * it, or too many are in doubt. Those with a time in the future are git's to read.
 */
function forgetDoubted({ index, folder, hashBytes }: At): number | undefined {
  const { mtimeNs, mtimeMs } = lstatSync(index, { bigint: true });
  const bytes = readFileSync(index);
  const racy = entriesOfSecond(bytes, { hashBytes, second: Number(mtimeMs / 1_000n), most: filesMax });
  if (racy.reduce((sum, { size }) => sum + size, 0) < worthBytes) return undefined;
  const doubted = racy.filter((entry) => !isUntouched(entry, folder, mtimeNs));
  if (doubted.length > racy.length / 10) return undefined;
  for (const { forget } of doubted) forget();
  if (doubted.length > 0) {
    const fresh = `${index}.doubted`;
    writeFileSync(fresh, sealed(bytes, hashBytes));
    makeAsOld(fresh, Number(mtimeMs));
    renameSync(fresh, index);
  }
  return doubted.length;
}

/** Whoever has touched it since git looked at it has given it another time of change, which nobody can set. */
function isUntouched({ name, ctimeNs }: IndexEntry, folder: string, writtenNs: bigint): boolean {
  const path = Buffer.concat([Buffer.from(`${folder}/`), name]);
  const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return now?.ctimeNs === ctimeNs && ctimeNs < writtenNs;
}
