/** Roles and templates: the repository's own before those shipped in the package. */
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MonocoError } from "../core/error.ts";
import { documentBytesMax } from "../core/limits.ts";
import type { Language } from "../core/words.ts";

/** The package's own folder: two levels above this file, in the source and in what is built from it. */
export const packageRoot = fileURLToPath(new URL("../..", import.meta.url));

/** A template by its file name: the repository's own (templates/LANG/NAME or templates/NAME) before the shipped one. */
export function loadTemplate(worktree: string, language: Language, name: string): string {
  return readOwnOrShipped(worktree, "templates", [join(language, name), name]);
}

/** The repository's own document before the shipped one. */
export function readOwnOrShipped(worktree: string, folder: string, names: readonly string[]): string {
  const candidates = [
    ...names.map((name) => join(worktree, folder, name)),
    ...names.map((name) => join(packageRoot, folder, name)),
  ];
  const path = candidates.find((candidate) => existsSync(candidate));
  if (!path) throw new MonocoError("bug", `${folder}/${names[0]} is missing from the package`);
  return readDocument(path);
}

/** A text file that a person keeps: refused when it is no regular file or larger than any document has to be. */
export function readDocument(path: string): string {
  const stat = lstatSync(path);
  if (stat.isDirectory() || stat.size > documentBytesMax) {
    throw new MonocoError("input", `${path} is no text file of at most ${documentBytesMax} bytes`, {
      hint: "move it away, or make it a plain file",
    });
  }
  return readFileSync(path, "utf8");
}
