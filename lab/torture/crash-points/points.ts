/** The points of a run at which it can be met: a system call, and what happens there. */
import type { Call } from "../../../test/support/strace.ts";
import type { Random } from "../place/random.ts";

export const faults = ["SIGKILL", "EIO", "ENOSPC", "EINTR"] as const;
export type Fault = (typeof faults)[number];

export type Point = Call & { fault: Fault };

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
