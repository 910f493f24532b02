/** What lies on a disk, by inode as POSIX has it: a folder's names and a file's bytes become durable each on its own. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** An inode's number. The top folder is `top`. */
export type Node = number;
export const top: Node = 0;

export type Disk = { folders: Map<Node, Map<string, Node>>; files: Map<Node, Buffer>; next: Node };

/** A name that begins or ceases to stand for something; `node` is missing where the name goes. */
export type Naming = { folder: Node; name: string; node?: Node };

/** What a program did to the disk, as far as a power loss can take it back. A rename is two namings that happen at once. */
export type Step =
  | { do: "make"; node: Node; as: "folder" | "file" }
  | { do: "name"; namings: Naming[] }
  | { do: "write"; node: Node; at: number; bytes: Buffer }
  | { do: "cut"; node: Node; size: number }
  | { do: "sync"; node: Node };

export const emptyDisk = (): Disk => ({ folders: new Map([[top, new Map()]]), files: new Map(), next: 1 });

export function copyOf({ folders, files, next }: Disk): Disk {
  const copied = [...folders].map(([node, names]) => [node, new Map(names)] as const);
  return { folders: new Map(copied), files: new Map(files), next };
}

export function apply(disk: Disk, step: Step): void {
  if (step.do === "make") {
    disk.next = Math.max(disk.next, step.node + 1);
    if (step.as === "folder") disk.folders.set(step.node, new Map());
    else disk.files.set(step.node, Buffer.alloc(0));
  }
  if (step.do === "name") rename(disk, step.namings);
  if (step.do === "write") disk.files.set(step.node, laid(bytesOf(disk, step.node), step));
  if (step.do === "cut") disk.files.set(step.node, cut(bytesOf(disk, step.node), step.size));
}

function rename(disk: Disk, namings: readonly Naming[]): void {
  for (const { folder, name, node } of namings) {
    if (node === undefined) disk.folders.get(folder)?.delete(name);
    else disk.folders.get(folder)?.set(name, node);
  }
}

export const bytesOf = (disk: Disk, node: Node): Buffer => disk.files.get(node) ?? Buffer.alloc(0);

/** A gap before `at` is zeros. */
export function laid(old: Buffer, { at, bytes }: { at: number; bytes: Buffer }): Buffer {
  const whole = cut(old, Math.max(old.length, at + bytes.length));
  bytes.copy(whole, at);
  return whole;
}

/** A copy of `size` bytes; what is longer than the old ones is zeros. */
export function cut(old: Buffer, size: number): Buffer {
  const whole = Buffer.alloc(size);
  old.copy(whole, 0, 0, size);
  return whole;
}

/** Lays what can be reached from its top folder into `folder`, which is empty. */
export function lay(disk: Disk, folder: string, from: Node = top): void {
  for (const [name, node] of disk.folders.get(from) ?? []) {
    const path = join(folder, name);
    if (disk.folders.has(node)) {
      mkdirSync(path);
      lay(disk, path, node);
    } else writeFileSync(path, bytesOf(disk, node));
  }
}
