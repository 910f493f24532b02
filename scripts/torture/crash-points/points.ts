/** The system calls of a run at which it can be met, read from what strace logged of it. */
import type { Random } from "../place/random.ts";

/** All that changes a disk, or waits for it. A kernel that lacks one is told so by the question mark. */
const calls =
  "write pwrite64 writev pwritev rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat rmdir fsync fdatasync ftruncate mkdir mkdirat openat copy_file_range";

/** For strace's `-e trace=`. */
export const traced = calls
  .split(" ")
  .map((call) => `?${call}`)
  .join(",");

export const faults = ["SIGKILL", "EIO", "ENOSPC", "EINTR"] as const;
export type Fault = (typeof faults)[number];

/** Whose: `runner`, or a git by its command and which start of that it is, as `fetch.3`. */
export type Owner = string;

/** The `nth` call of that name in one thread. */
export type Call = { owner: Owner; call: string; nth: number; on: string };

export type Point = Call & { fault: Fault };

/**
 * The calls on something below `folder`; pipes, the compile cache and the like are left out, but count, as strace counts:
 * by thread. Two threads that come to the same number make one call, since strace meets whoever gets there.
 */
export function callsIn(log: string, folder: string, owner: Owner): Call[] {
  const counts = new Map<string, number>();
  const found = new Map<string, Call>();
  for (const [, thread, call = "", rest = ""] of log.matchAll(/^(\d+) +(\w+)\((.*)$/gm)) {
    const counted = `${thread} ${call}`;
    const nth = (counts.get(counted) ?? 0) + 1;
    counts.set(counted, nth);
    if (!rest.includes(folder) || (call === "openat" && !rest.includes("O_CREAT"))) continue;
    const key = `${call} ${nth}`;
    if (!found.has(key)) found.set(key, { owner, call, nth, on: pathIn(rest, folder) });
  }
  return [...found.values()];
}

function pathIn(rest: string, folder: string): string {
  const end = rest.slice(rest.indexOf(folder) + folder.length);
  return /^[^>"]*/.exec(end)![0];
}

/** Where strace has to meet the run: the value of `-e inject=`. */
export function injection({ call, nth, fault }: Point): string {
  return `${call}:${fault.startsWith("SIG") ? "signal" : "error"}=${fault}:when=${nth}`;
}

export function everyPoint(all: readonly Call[]): Point[] {
  return all.flatMap((call) => faults.map((fault) => ({ ...call, fault })));
}

/** So many, by turns of each kind: of half a thousand deleted files and three dozen events both have to be met. */
export function sampleOf(points: readonly Point[], most: number, random: Random): Point[] {
  const kinds = Object.values(Object.groupBy(points, kindOf)).map((kind) => random.shuffled(kind ?? []));
  const turns = Math.max(0, ...kinds.map((kind) => kind.length));
  const byTurns = Array.from({ length: turns }, (_, turn) =>
    random.shuffled(kinds.flatMap((kind) => kind.slice(turn, turn + 1))),
  );
  return byTurns.flat().slice(0, most);
}

const kindOf = ({ owner, call, fault }: Point): string =>
  `${owner === "runner" ? owner : "git"} ${call} ${fault}`;

/** As it is told, and told again: `runner write 12 EIO`. */
export function nameOf({ owner, call, nth, fault }: Point): string {
  return `${owner === "runner" ? owner : `git ${owner}`} ${call} ${nth} ${fault}`;
}
