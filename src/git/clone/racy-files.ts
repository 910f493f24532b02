/**
 * Files that were written in the second of their index. git tells times to the second, so it reads each of them again, however long
 * ago that was (racy-git in its technical documentation). Nanoseconds, which an index has, too, tell which of them nobody has touched.
 */
import { lstatSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { attempt } from "../../core/error/attempt.ts";
import { entriesSince, sealed } from "../objects/index-file.ts";
import type { IndexEntry } from "../objects/index-file.ts";

type At = { index: string; folder: string; hashBytes: number };

/**
 * Calls `work`, in which git takes the word of `index` for the files of `folder` that are to the nanosecond as it says, and were so
 * before it was written. For a time in which nothing else is at work in `folder`: afterwards the index is as old as it was, unless git
 * has written it anew, or their second is over: whoever touches a file then gives it a later one.
 */
export async function readingLess<T>(at: At, work: () => Promise<T>): Promise<T> {
  const { index } = at;
  const seconds = attempt(() => secondsAfter(at), undefined);
  if (seconds === undefined) return work();
  const before = lstatSync(index);
  utimesSync(index, seconds, seconds);
  // By the clock of the file system.
  const isOver = lstatSync(index).ctimeMs >= seconds * 1_000;
  try {
    return await work();
  } finally {
    const now = lstatSync(index, { throwIfNoEntry: false });
    const isSame = now?.ino === before.ino && now.mtimeMs === seconds * 1_000;
    if (isSame && !isOver) makeAsOld(index, before.mtimeMs);
  }
}

/** Gives an index the age of another one, to the millisecond below: a younger one would be taken at its word. */
export function makeAsOld(index: string, mtimeMs: number): void {
  const seconds = Math.floor(mtimeMs) / 1_000;
  utimesSync(index, seconds, seconds);
}

/** Of fewer bytes git has read them before they are looked at. */
const worthBytes = 1_000_000;
/** Looked at in one piece of work, for which everything else waits some 100 ms. */
const filesMax = 20_000;

/** The first second in which none of the files was written; undefined where it is not worth it. What somebody may have touched has no times in the index then. */
function secondsAfter({ index, folder, hashBytes }: At): number | undefined {
  const writtenNs = lstatSync(index, { bigint: true }).mtimeNs;
  const bytes = readFileSync(index);
  const racy = entriesSince(bytes, hashBytes, Number(writtenNs / 1_000_000_000n));
  if (racy.length > filesMax || racy.reduce((sum, { size }) => sum + size, 0) < worthBytes) return undefined;
  const doubted = racy.filter((entry) => !isUntouched(entry, folder, writtenNs));
  if (doubted.length > racy.length / 10) return undefined;
  for (const { forget } of doubted) forget();
  if (doubted.length > 0) writeFileSync(index, sealed(bytes, hashBytes));
  if (doubted.length > 0) makeAsOld(index, Number(writtenNs / 1_000_000n));
  return Math.max(...racy.map(({ mtimeSeconds }) => mtimeSeconds)) + 1;
}

/** Whoever has touched it since git looked at it has given it another time of change, which nobody can set. */
function isUntouched({ name, ctimeNs }: IndexEntry, folder: string, writtenNs: bigint): boolean {
  const path = Buffer.concat([Buffer.from(`${folder}/`), name]);
  const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return now?.ctimeNs === ctimeNs && ctimeNs < writtenNs;
}
