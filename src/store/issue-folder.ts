/** The issues of a repository: files below issues/ (or Issues/), in the worktree, on a branch, and in all of history. */
import { isUtf8 } from "node:buffer";
import { existsSync, lstatSync, readFileSync, readdirSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { notUtf8 } from "../core/fault.ts";
import type { Fault } from "../core/fault.ts";
import { documentBytesMax } from "../core/limits.ts";
import { issueIdPattern } from "../core/issue-name.ts";

/** Folder names that are looked into. */
export const issueFolders = ["issues", "Issues"] as const;

/** `trouble`: the text is not what the file holds. */
export type IssueFile = { path: string; text: string; trouble?: Fault };

/** All Markdown files below the issue folders of `root`, by path; links are not followed. */
export function listIssueFiles(root: string): IssueFile[] {
  const found: IssueFile[] = [];
  for (const folder of issueFolders) {
    const top = join(root, folder);
    if (!existsSync(top)) continue;
    for (const name of readdirSync(top, { recursive: true, encoding: "utf8" }).sort()) {
      const path = join(top, name);
      const stat = lstatSync(path);
      if (name.endsWith(".md") && stat.isFile()) found.push(readIssueFile(root, path, stat.size));
    }
  }
  return found;
}

function readIssueFile(root: string, path: string, size: number): IssueFile {
  const name = relative(root, path);
  if (size > documentBytesMax) {
    const message = `larger than ${documentBytesMax} bytes`;
    const trouble = { line: 1, message, hint: "keep what is long in another file, and name it here" };
    return { path: name, text: "", trouble };
  }
  const bytes = readFileSync(path);
  const text = bytes.toString("utf8");
  return { path: name, text, ...(isUtf8(bytes) ? {} : { trouble: notUtf8(text) }) };
}

/** The id that a file's name begins with (`FEAT-0001-add-login.md`), if any. */
export function idOfName(path: string): string | undefined {
  const id = basename(path, ".md").match(/^[A-Z]+-\d{4,}(?=$|-|_|\.)/)?.[0];
  return id !== undefined && issueIdPattern.test(id) ? id : undefined;
}

/** The id of a file: its name's, else the one in its front matter. */
export function idOf(file: IssueFile): string | undefined {
  return idOfName(file.path) ?? file.text.slice(0, 4_096).match(/^id:\s*["']?([A-Z]+-\d{4,})["']?\s*$/m)?.[1];
}
