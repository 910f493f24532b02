/** Keeps Gemini CLI from reading files that nobody asked it to read: files that a prompt only names, and memories of the work under review. */
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";

/** The pattern by which the CLI looks for paths. */
const pathInPrompt = /(?<!\\)@((?:"[^"]*"|\\.|[^ \t\n\r,;!?()[\]{}.]|\.(?!$|[ \t\n\r]))+)/g;

/** Escapes every `@path`: the CLI replaces it by the text of the file, or of a whole folder, even in quoted code. */
export function withoutPathsToRead(prompt: string): string {
  return prompt.replace(pathInPrompt, (all, path: string) => {
    const plain = path.replaceAll('"', "").replace(/\\(.)/g, "$1");
    return existsSync(resolve(plain)) ? `\\${all}` : all;
  });
}

/**
 * Hides every GEMINI.md, which the CLI reads regardless of its settings: the one under review must not instruct its Reviewer.
 * For git nothing has changed, and `git show HEAD:GEMINI.md` still prints it.
 */
export function hideMemories(): void {
  const names = execFileSync("git", ["ls-files", "-z", "--", ":(icase,glob)**/GEMINI.md"]);
  execFileSync("git", ["update-index", "--skip-worktree", "-z", "--stdin"], { input: names });
  for (const name of names.toString("utf8").split("\0")) if (name !== "") rmSync(name, { force: true });
}
