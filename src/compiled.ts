/**
 * The program as one script, for what runs relays. V8 compiles a function when it is first called, and Node's own cache holds
 * only what is compiled on load. Here what a run has called until its first agent was at work is there for the next run.
 */
import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import type { onceAtWork } from "./io/at-work.ts";
import type { main } from "./main.ts";
import type { writeDurably } from "./store/durable.ts";

/** What the script makes: see `scripts/bundle.ts`. */
type Program = {
  main: typeof main;
  onceAtWork: typeof onceAtWork;
  writeDurably: typeof writeDurably;
};

/**
 * Loads the program; undefined where it was not built. `folder`: where compiled code is kept. Where there is none, or where
 * others can write, all is compiled anew.
 */
export function compiledProgram(folder: string | undefined): Program | undefined {
  const url = new URL("joined.cjs", import.meta.url);
  const stat = statSync(url, { bigint: true, throwIfNoEntry: false });
  if (!stat) return undefined;
  // V8 compares no more of a script than its length.
  const key = [stat.dev, stat.ino, stat.size, stat.ctimeNs].join("-");
  const place = folder !== undefined && isOwn(folder) ? join(folder, `monoco-${key}`) : undefined;
  const cachedData = place !== undefined && existsSync(place) ? readFileSync(place) : undefined;
  // It is ASCII alone.
  const script = new Script(readFileSync(url, "latin1"), { filename: url.href, cachedData });
  const program = (script.runInThisContext() as (url: string) => Program)(url.href);
  if (place !== undefined && (!cachedData || script.cachedDataRejected))
    program.onceAtWork(() => {
      try {
        program.writeDurably(place, script.createCachedData(), 0o600);
      } catch {
        // A full disk, say: the next run compiles anew, too.
      }
    });
  return program;
}

/** Whoever writes there decides what runs here. */
function isOwn(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  const own = process.getuid?.() ?? stat?.uid;
  return stat?.isDirectory() === true && stat.uid === own && (stat.mode & 0o022) === 0;
}
