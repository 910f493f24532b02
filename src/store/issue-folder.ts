/** The issues of a repository: files below issues/ (or Issues/), in the worktree, on a branch, and in all of history. */
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import type { Fault } from "../core/error/fault.ts";
import { issueIdPattern } from "../core/issue/name.ts";
import { inspectDocument, isThere } from "./document.ts";
import { t } from "../core/language/translate.ts";

/** Folder names that are looked into. */
export const issueFolders = ["issues", "Issues"] as const;

/** The one that new issues of this worktree go into. */
export function issueFolderIn(root: string): (typeof issueFolders)[number] {
  return issueFolders.find((name) => isThere(join(root, name))) ?? issueFolders[0];
}

export type IssueFile = { path: string; text: string };
/** What is called like an issue and cannot be read: passed over in silence, it would be missed by nobody. */
export type UnreadIssue = { path: string; fault: Fault };

/** A file that is not read yet: its path from the root, and where it lies. */
export type FoundIssue = { path: string; at: string; linked: boolean };

/** All Markdown files below the issue folders of `root`, by path; links are not followed. */
export function listIssueFiles(root: string): { files: IssueFile[]; unread: UnreadIssue[] } {
  const files: IssueFile[] = [];
  const unread: UnreadIssue[] = [];
  for (const found of findIssueFiles(root)) {
    const read = readIssueFile(found);
    if ("text" in read) files.push({ path: found.path, text: read.text });
    else unread.push({ path: found.path, fault: read.fault });
  }
  return { files, unread };
}

/** The same files, unread. */
export function findIssueFiles(root: string): FoundIssue[] {
  return issueFolders.flatMap((folder) => {
    const top = join(root, folder);
    if (!isThere(top)) return [];
    if (!statSync(top, { throwIfNoEntry: false })?.isDirectory()) throw noFolder(top);
    const found = namesBelow(top).sort((a, b) => (a.name < b.name ? -1 : 1));
    return found.map(({ name, linked }) => ({ path: join(folder, name), at: join(top, name), linked }));
  });
}

export function readIssueFile({ at, linked }: FoundIssue): { text: string } | { fault: Fault } {
  return linked ? isLink() : inspectDocument(at);
}

/** What is called like Markdown, and links to folders, at any depth: such a link would lead out of the repository, or round in circles. */
function namesBelow(top: string, below = ""): { name: string; linked: boolean }[] {
  return readdirSync(join(top, below), { withFileTypes: true }).flatMap((entry) => {
    const name = join(below, entry.name);
    const linked = entry.isSymbolicLink();
    const toFolder = linked && statSync(join(top, name), { throwIfNoEntry: false })?.isDirectory() === true;
    const own = toFolder || entry.name.endsWith(".md") ? [{ name, linked }] : [];
    return entry.isDirectory() ? [...own, ...namesBelow(top, name)] : own;
  });
}

function isLink(): { fault: Fault } {
  const hint = t`put the file itself in its place`;
  return { fault: { line: 1, message: t`it is a link, which is not followed`, hint } };
}

function noFolder(path: string): MonocoError {
  return new MonocoError("input", t`${path}: expected a folder`, {
    hint: t`move it away: issues are files below it, and monoco init makes it`,
  });
}

/** The id that a file's name begins with (`FEAT-0001-add-login.md`), if any. */
export function idOfName(path: string): string | undefined {
  const id = basename(path, ".md").match(/^[A-Z]+-\d{4,}(?=$|-|_|\.)/)?.[0];
  return id !== undefined && issueIdPattern.test(id) ? id : undefined;
}

/** The id of a file: its name's, else the one in its front matter. */
export function idOf(file: IssueFile): string | undefined {
  const named = idOfName(file.path);
  if (named !== undefined) return named;
  const told = file.text.slice(0, 4_096).match(/^id:\s*["']?([A-Z]+-\d{4,})["']?\s*$/m)?.[1];
  return told !== undefined && issueIdPattern.test(told) ? told : undefined;
}
