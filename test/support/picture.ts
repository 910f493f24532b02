/** All that is in some folders, for tests that say that a command changed nothing; and what an error may never look like. */
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Ran } from "./cli.ts";

/** By path: kind, mode, and what is in it. Links are not followed; what may not be read is told by its size. */
export function pictureOf(...folders: readonly string[]): Record<string, string> {
  return Object.fromEntries(folders.flatMap((folder) => entriesOf(folder)));
}

function entriesOf(path: string): [string, string][] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  // What was read of files is kept for whoever looks next.
  if (path.endsWith("/.monoco/cache")) return [];
  const mode = (stat.mode & 0o7777).toString(8);
  if (stat.isSymbolicLink()) return [[path, `link to ${readlinkSync(path)}`]];
  // Whoever takes a relay's lock signs it: words for people, which change with every command that looked at the relay.
  if (stat.isFile() && /\/\.monoco\/locks\/[^/]+\.runner$/.test(path)) return [[path, `lock ${mode}`]];
  if (stat.isFile()) return [[path, `file ${mode} ${stat.size} ${hashOf(path)}`]];
  if (!stat.isDirectory()) return [[path, `special ${mode}`]];
  return [[path, `folder ${mode}`], ...namesIn(path).flatMap((name) => entriesOf(join(path, name)))];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

function hashOf(path: string): string {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return "not to be read";
  }
}

/** An error is told in words: no stack, none of Node's own warnings. */
export function expectWords({ stdout, stderr }: Pick<Ran, "stdout" | "stderr">): void {
  for (const text of [stdout, stderr]) {
    expect(text).not.toMatch(/^ {4}at /m);
    expect(text).not.toMatch(/node:internal|a bug in monoco|UnhandledPromise|\(Use `node --trace/);
  }
}
