/** Lists the files that differ from the index as `XY path`, without files whose bytes equal the commit's. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../core/error/attempt.ts";
import { gitOr, zeroed } from "./git.ts";
import type { Git } from "./git.ts";

/** Leaves out a file that was committed with CRLF before .gitattributes said `text`: git reports it, but nobody changed it. */
export async function statusOf(git: Git, folder: string, untracked: "all" | "no"): Promise<string[]> {
  const options = ["--porcelain", "-z", "--no-renames", "--ignore-submodules=all"];
  const entries = zeroed(await git(["status", ...options, `--untracked-files=${untracked}`]));
  const modified = entries.filter((entry) => entry.startsWith(" M")).map((entry) => entry.slice(3));
  const same = modified.length > 0 ? await sameBytes(git, folder, modified) : new Set<string>();
  return entries.filter((entry) => !entry.startsWith(" M") || !same.has(entry.slice(3)));
}

async function sameBytes(git: Git, folder: string, paths: readonly string[]): Promise<Set<string>> {
  const raw = ["-z", "--raw", "--abbrev=64", "--ignore-submodules=all"];
  const fields = zeroed(await git(["diff-files", ...raw]));
  const indexed = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [before = "", now = "", hash = ""] = fields[at]!.slice(1).split(" ");
    if (before === now && before.startsWith("100")) indexed.set(fields[at + 1]!, hash);
  }
  // Git opens any path that it is given, and would wait for ever at a fifo.
  const isFile = (path: string): boolean => attempt(() => lstatSync(join(folder, path)).isFile(), false);
  const asked = paths.filter((path) => indexed.has(path) && isFile(path) && !/^"|\n/.test(path));
  const input = asked.map((path) => `${path}\n`).join("");
  const hashes = (await gitOr(git(["hash-object", "--no-filters", "--stdin-paths"], { input }), "")).split(
    "\n",
  );
  return new Set(asked.filter((path, at) => indexed.get(path) === hashes[at]));
}
