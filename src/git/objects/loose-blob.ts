/** Writes a blob into a repository as `git hash-object -w` does, without a git. */
import { hash, randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { attempt } from "../../core/error/attempt.ts";
import { blobBytesMax } from "../../core/limits.ts";
import type { Git } from "../git.ts";
import { plainStore } from "./plain-store.ts";

/** As git has it for loose objects: quick before small. */
const level = 1;

/** Its hash; undefined where a git has to write it: it is there already, it is large, or the repository is unusual. */
export async function writeBlob(git: Git, content: Buffer): Promise<string | undefined> {
  if (content.length > blobBytesMax) return undefined;
  const store = plainStore(git);
  if (!store) return undefined;
  const whole = Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]);
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
