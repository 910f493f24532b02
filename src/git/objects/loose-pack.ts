/**
 * A pack of what a session has committed, made of the loose objects of its clone: no git reads the agent's .git then, and four
 * processes less are started. What the pack holds is for `git index-pack --strict` to check.
 */
import { hash as digest } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { attempt } from "../../core/error/attempt.ts";
import { packBytesMax, packObjectsMax } from "../../core/limits.ts";

export type Packed = { pack: Buffer; objects: ReadonlyMap<string, PackedObject> };

/** `links`: what it names, a commit its tree first. */
export type PackedObject = Loose & { links: readonly string[] };

type Loose = { type: number; content: Buffer };

/**
 * All that `tips` lead to among the loose objects in `folder`. Undefined where git has to look itself: a tip is no
 * loose object, there are packs, something cannot be read, or it is too much to be packed while everything else waits.
 */
export function packOf(folder: string, tips: readonly string[]): Packed | undefined {
  return attempt(() => {
    const paths = looseIn(folder);
    if (paths === undefined || tips.some((tip) => !paths.has(tip))) return undefined;
    const objects = new Map<string, PackedObject>();
    const entries: Buffer[] = [];
    let bytesLeft = packBytesMax;
    for (const waiting = [...tips]; waiting.length > 0;) {
      const hash = waiting.pop()!;
      const path = paths.get(hash);
      if (path === undefined || objects.has(hash)) continue;
      const object = readLoose(path, { hash, bytesMax: bytesLeft });
      bytesLeft -= object.content.length;
      entries.push(entryOf(object));
      const links = linksOf(object, hash.length / 2);
      objects.set(hash, { ...object, links });
      waiting.push(...links);
    }
    const body = Buffer.concat([headOf(entries.length), ...entries]);
    const end = digest(hashFor(tips[0]!), body, "buffer");
    return { pack: Buffer.concat([body, end]), objects };
  }, undefined);
}

/** The loose objects by their hashes; undefined where there are packs, or too many. */
function looseIn(objects: string): Map<string, string> | undefined {
  if (readdirSync(join(objects, "pack")).length > 0) return undefined;
  const found = new Map<string, string>();
  for (const folder of readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of readdirSync(join(objects, folder)))
      found.set(folder + name, join(objects, folder, name));
    if (found.size > packObjectsMax) return undefined;
  }
  return found;
}

const types = ["", "commit", "tree", "blob", "tag"];

const hashFor = (hash: string): string => (hash.length === 64 ? "sha256" : "sha1");

/** Throws for anything but the object of this hash, of at most `bytesMax`: what it leads to is taken from what is read here. */
function readLoose(path: string, { hash, bytesMax }: { hash: string; bytesMax: number }): Loose {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    if (!fstatSync(fd).isFile() || size > bytesMax) throw new Error(path);
    const whole = inflateSync(readFileSync(fd), { maxOutputLength: bytesMax });
    const end = whole.indexOf(0);
    const type = types.indexOf(whole.toString("latin1", 0, whole.indexOf(" ")));
    const content = whole.subarray(end + 1);
    if (type < 1 || end > 32 || digest(hashFor(hash), whole) !== hash) throw new Error(path);
    return { type, content };
  } finally {
    closeSync(fd);
  }
}

/** What a commit, a tree or a tag names; of a tree not the commits of other repositories. */
function linksOf({ type, content }: Loose, hashBytes: number): string[] {
  if (type === 3) return [];
  if (type !== 2) {
    const header = content.toString("latin1").split("\n\n", 1)[0]!;
    return [...header.matchAll(/^(?:tree|parent|object) ([0-9a-f]+)$/gm)].map(([, hash]) => hash!);
  }
  const links: string[] = [];
  for (let at = 0; at < content.length;) {
    const end = content.indexOf(0, at) + 1;
    if (end === 0) throw new Error();
    const next = end + hashBytes;
    if (!content.toString("latin1", at, at + 6).startsWith("160000"))
      links.push(content.toString("hex", end, next));
    at = next;
  }
  return links;
}

function headOf(count: number): Buffer {
  const head = Buffer.from("PACK\0\0\0\u0002\0\0\0\0", "latin1");
  head.writeUInt32BE(count, 8);
  return head;
}

/** Type and length in seven bits a byte (four in the first), then what is deflated: see gitformat-pack(5). */
function entryOf({ type, content }: Loose): Buffer {
  const bytes = [(type << 4) | (content.length & 15)];
  for (let left = content.length >> 4; left > 0; left >>= 7) {
    bytes[bytes.length - 1]! |= 0x80;
    bytes.push(left & 127);
  }
  return Buffer.concat([Buffer.from(bytes), deflateSync(content, { level: 1 })]);
}
