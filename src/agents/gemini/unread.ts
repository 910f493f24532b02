/** Keeps Gemini CLI from reading what nobody has told it to: files that a prompt only names, memories of the work under review. */
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";

/** As the CLI looks for it. */
const pathInPrompt = /(?<!\\)@((?:"[^"]*"|\\.|[^ \t\n\r,;!?()[\]{}.]|\.(?!$|[ \t\n\r]))+)/g;

/** The CLI puts a file's text, even a whole folder's, in the place of `@path`: quoted code in a prompt must not do that. */
export function withoutPathsToRead(prompt: string): string {
  return prompt.replace(pathInPrompt, (all, path: string) => {
    const plain = path.replaceAll('"', "").replace(/\\(.)/g, "$1");
    return existsSync(resolve(plain)) ? `\\${all}` : all;
  });
}

/**
 * GEMINI.md is read wherever it lies, whatever the settings say; the one under review must not tell its Reviewer what to do.
 * To git nothing has changed, and `git show HEAD:GEMINI.md` has it.
 */
export function hideMemories(): void {
  const names = execFileSync("git", ["ls-files", "-z", "--", ":(icase,glob)**/GEMINI.md"]);
  execFileSync("git", ["update-index", "--skip-worktree", "-z", "--stdin"], { input: names });
  for (const name of names.toString("utf8").split("\0")) if (name !== "") rmSync(name, { force: true });
}
