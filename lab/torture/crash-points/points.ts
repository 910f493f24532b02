/** The system calls of a run at which it can be met, read from what strace logged of it. */
import { join, resolve } from "node:path";
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

/** The `nth` call of that name in one thread of a run that begins at the stage; `on`: its file below the place. */
export type Call = { stage: string; owner: Owner; call: string; nth: number; on: string };

export type Point = Call & { fault: Fault };

/** Of which part of a log: the calls up to a moment (in seconds, as `-ttt` logs it), of a run that begins at a stage. */
export type Logged = { folder: string; stage: string; owner: Owner; until?: number };

/**
 * The calls on `folder` and what is below it; pipes, the compile cache and the like are left out, but count, as strace counts:
 * by thread. Two threads that come to the same number make one call, since strace meets whoever gets there.
 */
export function callsIn(log: string, { folder, stage, owner, until = Infinity }: Logged): Call[] {
  const counts = new Map<string, number>();
  const found = new Map<string, Call>();
  for (const [, thread, at = "0", call = "", rest = ""] of log.matchAll(
    /^(\d+) +(?:([\d.]+) )?(\w+)\((.*)$/gm,
  )) {
    if (Number(at) > until) break;
    const counted = `${thread} ${call}`;
    const nth = (counts.get(counted) ?? 0) + 1;
    counts.set(counted, nth);
    const path = pathOf(call, rest, folder);
    if (!`${path}/`.startsWith(`${folder}/`) || (call === "openat" && !rest.includes("O_CREAT"))) continue;
    const key = `${call} ${nth}`;
    if (!found.has(key)) found.set(key, { stage, owner, call, nth, on: path!.slice(folder.length) });
  }
  return [...found.values()];
}

/** What a call changes: the file behind its last descriptor (`3</w/a>`), or a name, which may be relative to a descriptor's folder. */
function pathOf(call: string, rest: string, folder: string): string | undefined {
  const descriptors = [...rest.matchAll(/(?:AT_FDCWD|\b\d+)<([^>]*)>/g)];
  if (/^(p?writev?(64)?|f(data)?sync|ftruncate|copy_file_range)$/.test(call)) return descriptors.at(-1)?.[1];
  const names = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"/g)];
  const name = (call.startsWith("symlink") ? names.at(-1) : names[0])?.[1];
  return name === undefined ? undefined : resolve(descriptors[0]?.[1] ?? join(folder, "project"), name);
}

/** Whether the call that was told an error is on one of the pipes and counters by which a program's threads wake each other. */
export function isNodesOwn(log: string): boolean {
  return /\(\d+<(?:pipe|anon_inode):[^\n]*\(INJECTED\)/.test(log);
}

/** Clones and trees for checks and reviews: made for one, and thrown away. What a relay promises does not rest on them. */
const scratch = /^\/state\/monoco\/[^/]+\/([^/]+\.(?:review|trial|base|fresh)[^/]*)/;

/** All calls, but of those on such a clone that one program makes in a stage by one name: the first, the middle and the last. */
export function withoutRepeats(calls: readonly Call[]): Call[] {
  const groups = Object.groupBy(calls, ({ stage, owner, call, on }, at) => {
    const clone = scratch.exec(on)?.[1];
    return clone === undefined ? String(at) : [stage, owner.split(".")[0], call, clone].join(" ");
  });
  return Object.values(groups).flatMap((group = []) =>
    [...new Set([0, Math.floor(group.length / 2), group.length - 1])].map((at) => group[at]!),
  );
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

const kindOf = ({ stage, owner, call, fault }: Point): string =>
  `${stage} ${owner === "runner" ? owner : "git"} ${call} ${fault}`;

/** As it is told, and told again: `review: runner write 12 EIO`. */
export function nameOf({ stage, owner, call, nth, fault }: Point): string {
  return `${stage}: ${owner === "runner" ? owner : `git ${owner}`} ${call} ${nth} ${fault}`;
}
