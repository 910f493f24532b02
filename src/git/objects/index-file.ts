/** The file of an index, read and written without a git: see gitformat-index(5). */
import { hash as digest } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { attempt } from "../../core/error/attempt.ts";
import type { Change } from "./tree-diff.ts";

/**
 * `index` with the changed paths, in git's order, as they are in the other commit; git reads those files anew. `git read-tree` reads
 * all trees of a commit for that. Undefined where the index is not as plain as git writes it for a snapshot. What comes out is not
 * taken on trust: `git status` compares it with the commit.
 */
export function indexWith(index: Buffer, changes: readonly Change[], hashBytes: number): Buffer | undefined {
  return attempt(() => {
    refuseUnlessPlain(index);
    const places = placesIn(index, hashBytes);
    const { entries, count } = changedEntries(index, places, { changes, hashBytes });
    const trees = changedTrees(index, places.at(-1)!, { changes, hashBytes });
    const head = Buffer.from(index.subarray(0, headBytes));
    head.writeUInt32BE(count, 8);
    return sealed(Buffer.concat([head, ...entries, ...trees, Buffer.alloc(hashBytes)]), hashBytes);
  }, undefined);
}

/** Writes the checksum at the end of an index that was changed in place; returns it. */
export function sealed(index: Buffer, hashBytes: number): Buffer {
  const body = index.subarray(0, -hashBytes);
  digest(hashBytes === 32 ? "sha256" : "sha1", body, "buffer").copy(index, body.length);
  return index;
}

/** A file as an index knows it: its last change, and its bytes. `forget` takes all that from it, in place: git looks at the file anew. */
export type IndexEntry = { name: Buffer; ctimeNs: bigint; size: number; forget(): void };

/** Those that were written in one second. Throws where there are more than `most`, or the index is not as plain as git writes it for a snapshot. */
export function entriesOfSecond(
  index: Buffer,
  { hashBytes, second, most }: { hashBytes: number; second: number; most: number },
): IndexEntry[] {
  refuseUnlessPlain(index);
  const places = placesIn(index, hashBytes)
    .subarray(0, -1)
    .filter((at) => index.readUInt32BE(at + 8) === second);
  if (places.length > most) throw new Error("too many");
  return Array.from(places, (at): IndexEntry => {
    const nameAt = at + statBytes + hashBytes + 2;
    return {
      name: index.subarray(nameAt, index.indexOf(0, nameAt)),
      ctimeNs: BigInt(index.readUInt32BE(at)) * 1_000_000_000n + BigInt(index.readUInt32BE(at + 4)),
      size: index.readUInt32BE(at + 36),
      forget: () => void index.fill(0, at, at + modeAt).fill(0, at + modeAt + 4, at + statBytes),
    };
  });
}

/** How many entries the index at `path` has. */
export function entriesOf(path: string): number {
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(headBytes);
    readSync(file, head);
    return head.readUInt32BE(8);
  } finally {
    closeSync(file);
  }
}

function refuseUnlessPlain(index: Buffer): void {
  if (index.toString("latin1", 0, 4) !== "DIRC" || index.readUInt32BE(4) !== 2)
    throw new Error("no plain index");
}

const headBytes = 12;
/** Times, device, inode, mode, owner and size. */
const statBytes = 40;
const modeAt = 24;

/**
 * Where each entry begins, and where the last one ends. Throws for entries of a merge, for flags that need a longer form, and for
 * names of 4,095 bytes and more. Bytes are taken one by one: there may be 100,000 entries, and a call for each takes long.
 */
function placesIn(index: Buffer, hashBytes: number): Uint32Array {
  const count = index.readUInt32BE(8);
  const flagsAt = statBytes + hashBytes;
  if (count > index.length / flagsAt) throw new Error("more than there are");
  const places = new Uint32Array(count + 1);
  let at = headBytes;
  for (let entry = 0; entry < count; entry += 1) {
    places[entry] = at;
    const nameAt = at + flagsAt + 2;
    const flags = (index[nameAt - 2]! << 8) | index[nameAt - 1]!;
    if (flags >= nameBytesMax || index[nameAt + flags] !== 0) throw new Error("no plain entry");
    at += paddedBytes(flagsAt + 2 + flags);
  }
  places[count] = at;
  return places;
}

/** With it in the flags a name is as long or longer. */
const nameBytesMax = 0xfff;

/** With at least one zero at the end. */
const paddedBytes = (bytes: number): number => (bytes + 8) & ~7;

type With = { changes: readonly Change[]; hashBytes: number };

function changedEntries(
  index: Buffer,
  places: Uint32Array,
  { changes, hashBytes }: With,
): { entries: Buffer[]; count: number } {
  const nameFrom = statBytes + hashBytes + 2;
  const entries: Buffer[] = [];
  let [done, count] = [0, places.length - 1];
  for (const { path, is } of changes) {
    const name = Buffer.from(path);
    const at = firstFrom(done, places, (from) => {
      const from0 = from + nameFrom;
      return name.compare(index, from0, index.indexOf(0, from0)) <= 0;
    });
    entries.push(index.subarray(places[done], places[at]));
    const begin = places[at]! + nameFrom;
    const isThere = at < places.length - 1 && name.compare(index, begin, index.indexOf(0, begin)) === 0;
    done = isThere ? at + 1 : at;
    if (is) entries.push(entryOf(name, is, hashBytes));
    count += Number(is !== undefined) - Number(isThere);
  }
  entries.push(index.subarray(places[done], places.at(-1)));
  return { entries, count };
}

/** The first entry from `from` on of which `is` holds, as it holds of all behind it; else the end. */
function firstFrom(from: number, places: Uint32Array, is: (place: number) => boolean): number {
  let [low, high] = [from, places.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is(places[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Without a file's times and size, by which git knows that it has to read the file. */
function entryOf(name: Buffer, { mode, hash }: NonNullable<Change["is"]>, hashBytes: number): Buffer {
  const nameFrom = statBytes + hashBytes + 2;
  if (name.length >= nameBytesMax) throw new Error("too long");
  const entry = Buffer.alloc(paddedBytes(nameFrom + name.length));
  entry.writeUInt32BE(modeOf(mode), modeAt);
  entry.write(hash, statBytes, hashBytes, "hex");
  entry.writeUInt16BE(name.length, statBytes + hashBytes);
  name.copy(entry, nameFrom);
  return entry;
}

/** Throws for a submodule. Old tools wrote other rights than git knows. */
function modeOf(mode: string): number {
  const bits = Number.parseInt(mode, 8);
  if (mode === "120000") return bits;
  if (!mode.startsWith("100")) throw new Error(mode);
  return (bits & 0o100) === 0 ? 0o100644 : 0o100755;
}

/** What stands behind the entries: the trees that they make, without the hashes of those that have changed. Throws for anything else. */
function changedTrees(index: Buffer, from: number, { changes, hashBytes }: With): Buffer[] {
  const end = index.length - hashBytes;
  if (from === end) return [];
  const to = from + 8 + index.readUInt32BE(from + 4);
  if (index.toString("latin1", from, from + 4) !== "TREE" || to !== end) throw new Error("more than trees");
  const paths = changes.map(({ path }) => Buffer.from(path).toString("latin1"));
  const [folders, files] = [new Set(paths.flatMap(foldersOf)), new Set(paths)];
  const text = index.toString("latin1", from + 8, end);
  const form = /([^\0]*)\0(-?\d+) (\d+)\n/y;
  const kept: string[] = [];
  /** The folders on the way, and how many are still to come in each. */
  const open: { path: string; left: number }[] = [];
  let done = 0;
  for (let at = 0; at < text.length;) {
    form.lastIndex = at;
    const [line, name = "", count, below] = form.exec(text)!;
    while (open.at(-1)?.left === 0) open.pop();
    const above = open.at(-1);
    if (above) above.left -= 1;
    const path = above?.path ? `${above.path}/${name}` : name;
    if (files.has(path)) throw new Error("a folder that is a file now");
    const next = at + line.length + (count!.startsWith("-") ? 0 : hashBytes);
    if (folders.has(path)) {
      kept.push(text.slice(done, at), `${name}\0-1 ${below}\n`);
      done = next;
    }
    open.push({ path, left: Number(below) });
    at = next;
  }
  const trees = Buffer.from(kept.join("") + text.slice(done), "latin1");
  const head = Buffer.from("TREE\0\0\0\0", "latin1");
  head.writeUInt32BE(trees.length, 4);
  return [head, trees];
}

/** The folders above a path, the top among them, as "". */
function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, at) => parts.slice(0, at).join("/"));
}
