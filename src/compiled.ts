/**
 * The program as one script, for what runs relays. V8 compiles a function when it is first called, and Node's own cache holds
 * only what is compiled on load. Here what a run has called until its first agent was at work is there for the next run.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import type { onceAtWork } from "./io/at-work.ts";
import type { main } from "./main.ts";
import type { writeDurably } from "./store/durable.ts";

/** What the script makes: see `scripts/bundle.ts`. */
type Program = { main: typeof main; onceAtWork: typeof onceAtWork; writeDurably: typeof writeDurably };

/** Loads the program; undefined where it was not built. `folder`: where compiled code is kept, if anywhere. */
export function compiledProgram(folder: string | undefined): Program | undefined {
  const url = new URL("joined.cjs", import.meta.url);
  const stat = statSync(url, { bigint: true, throwIfNoEntry: false });
  if (!stat) return undefined;
  // V8 compares no more of a script than its length.
  const key = [stat.dev, stat.ino, stat.size, stat.ctimeNs].join("-");
  const place = folder === undefined ? undefined : join(folder, `monoco-${crc32(url.href).toString(16)}`);
  const cachedData = place === undefined ? undefined : readKept(place, key);
  // It is ASCII alone.
  const script = new Script(readFileSync(url, "latin1"), { filename: url.href, cachedData });
  const program = (script.runInThisContext() as (url: string) => Program)(url.href);
  if (place !== undefined && (!cachedData || script.cachedDataRejected))
    program.onceAtWork(() => {
      const code = script.createCachedData();
      program.writeDurably(place, Buffer.concat([headOf(key, code), code]), 0o600);
    });
  return program;
}

/** V8 crashes on code that is damaged. */
const headOf = (key: string, code: Buffer): Buffer => Buffer.from(`${key} ${crc32(code)}\n`);

/** The code that was kept for this key. Whoever can write the file decides what runs here: only its owner may. */
function readKept(place: string, key: string): Buffer | undefined {
  try {
    const file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    const own = process.getuid?.() ?? stat.uid;
    const isOwn = stat.uid === own && (stat.mode & 0o022) === 0;
    const bytes = isOwn ? readFileSync(file) : Buffer.alloc(0);
    closeSync(file);
    const code = bytes.subarray(bytes.indexOf("\n") + 1);
    const head = headOf(key, code);
    return head.equals(bytes.subarray(0, head.length)) ? code : undefined;
  } catch {
    return undefined;
  }
}
