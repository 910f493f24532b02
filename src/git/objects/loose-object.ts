/** Writes objects into a repository, without a git where all is plain. */
import { hash, randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { attempt } from "../../core/error/attempt.ts";
import { objectBytesMax } from "../../core/limits.ts";
import type { Git } from "../git.ts";
import { plainStore } from "./plain-store.ts";

/** As git has it for loose objects: quick before small. */
const level = 1;

type Type = "blob" | "tree";

/** Writes a text as a blob, and answers its hash. */
export async function writeBlob(git: Git, text: Buffer): Promise<string> {
  const byGit = ["hash-object", "-w", "--no-filters", "--stdin"];
  return (await writeByHand(git, "blob", text)) ?? (await git(byGit, { input: text.toString() })).trim();
}

/** Writes a tree of blobs, each a name and a hash, in git's order; answers its hash. */
export async function writeTree(git: Git, blobs: readonly (readonly [string, string])[]): Promise<string> {
  const entries = blobs.map(([name, blob]) => [Buffer.from(`100644 ${name}\0`), Buffer.from(blob, "hex")]);
  const input = blobs.map(([name, blob]) => `100644 blob ${blob}\t${name}\n`).join("");
  return (
    (await writeByHand(git, "tree", Buffer.concat(entries.flat()))) ??
    (await git(["mktree"], { input })).trim()
  );
}

/** Its hash; undefined where a git has to write it: it is there already, it is large, or the repository is unusual. */
export async function writeByHand(git: Git, type: Type, content: Buffer): Promise<string | undefined> {
  if (content.length > objectBytesMax) return undefined;
  const store = plainStore(git);
  if (!store) return undefined;
  const whole = wholeOf(type, content);
  const name = hash(store.format, whole);
  // One that is there has to be made younger, else a cleaning git takes it away.
  if ((await git.ask?.("info", name)) !== "nothing") return undefined;
  const packed = deflateSync(whole, { level });
  const path = join(store.commonDir, "objects", name.slice(0, 2), name.slice(2));
  return attempt(() => {
    mkdirSync(dirname(path), { recursive: true });
    writeWhole(path, packed);
    return name;
  }, undefined);
}

/** As the object `name` is hashed. */
export function isBlob(name: string, content: Buffer): boolean {
  return hash(name.length === 40 ? "sha1" : "sha256", wholeOf("blob", content)) === name;
}

function wholeOf(type: Type, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
}

/** Never half there; git removes what is left of such a name by a crash. */
function writeWhole(path: string, bytes: Buffer): void {
  const temporary = join(dirname(path), `tmp_obj_${randomUUID().slice(0, 8)}`);
  try {
    writeFileSync(temporary, bytes, { flag: "wx", mode: 0o444 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
