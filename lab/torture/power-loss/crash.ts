/** What a power loss may leave: all that was synced, and of the rest what chance has it, in pieces, as zeros, in any order. */
import type { Dice } from "../../../test/core/support/simulation.ts";
import { apply, bytesOf, copyOf, cut, laid } from "./disk.ts";
import type { Disk, Node, Step } from "./disk.ts";

/** Disks write this much at once: a smaller piece is there or not. */
export const sectorBytes = 512;

type Data = Extract<Step, { do: "write" | "cut" }>;
type Name = Extract<Step, { do: "name" }>;
type Pending = { names: Name[]; data: Map<Node, Data[]> };

/** How much of the unsynced names, or of one file's bytes, reached the disk. */
const fates = ["none", "all", "first", "any"] as const;
type Fate = (typeof fates)[number];

/** The disk after the first `taken` of `steps` and a power loss; `start` was durable. */
export function crashed(start: Disk, steps: readonly Step[], taken: number, dice: Dice): Disk {
  const disk = copyOf(start);
  const pending: Pending = { names: [], data: new Map() };
  for (const step of steps.slice(0, taken)) {
    if (step.do === "make") apply(disk, step);
    if (step.do === "name") pending.names.push(step);
    if (step.do === "write" || step.do === "cut")
      pending.data.set(step.node, [...(pending.data.get(step.node) ?? []), step]);
    if (step.do === "sync") sync(disk, pending, step.node);
  }
  for (const step of chosen(pending.names, dice)) apply(disk, step);
  for (const [node, data] of pending.data) spill(disk, node, data, dice);
  return disk;
}

/** A file's bytes without its name, a folder's names without what they stand for: POSIX promises no more. */
function sync(disk: Disk, pending: Pending, node: Node): void {
  const isOf = ({ namings }: Name): boolean => namings.at(-1)!.folder === node;
  for (const step of pending.names.filter(isOf)) apply(disk, step);
  pending.names = pending.names.filter((step) => !isOf(step));
  for (const step of pending.data.get(node) ?? []) apply(disk, step);
  pending.data.delete(node);
}

function chosen<One>(ones: readonly One[], dice: Dice): readonly One[] {
  const fate: Fate = fates[dice(fates.length)]!;
  if (fate === "all") return ones;
  if (fate === "none") return [];
  return fate === "first" ? ones.slice(0, dice(ones.length + 1)) : ones.filter(() => dice(2) === 0);
}

function spill(disk: Disk, node: Node, data: readonly Data[], dice: Dice): void {
  for (const step of chosen(data, dice)) {
    const old = bytesOf(disk, node);
    disk.files.set(node, step.do === "cut" ? cut(old, step.size) : torn(old, step, dice));
  }
}

/** One write on its way to the disk: whole, its first bytes, any of its sectors, or only the size that it gives the file. */
function torn(old: Buffer, { at, bytes }: Extract<Step, { do: "write" }>, dice: Dice): Buffer {
  const way = dice(4);
  if (way === 0) return laid(old, { at, bytes });
  if (way === 1) return laid(old, { at, bytes: bytes.subarray(0, dice(bytes.length + 1)) });
  let left = cut(old, Math.max(old.length, at + bytes.length));
  if (way === 2) return left;
  for (let from = 0; from < bytes.length;) {
    const to = Math.min(bytes.length, from + sectorBytes - ((at + from) % sectorBytes));
    if (dice(2) === 0) left = laid(left, { at: at + from, bytes: bytes.subarray(from, to) });
    from = to;
  }
  return left;
}
