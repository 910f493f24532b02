/** Finds a repository's issues: files below issues/ or Issues/ in a worktree. */
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import type { Fault } from "../core/error/fault.ts";
import { issueIdPattern } from "../core/issue/name.ts";
import { inspectDocument, isThere } from "./document.ts";
import { t } from "../core/language/translate.ts";

/** The names of issue folders. */
export const issueFolders = ["issues", "Issues"] as const;

/** The issue folder for new issues in this worktree. */
export function issueFolderIn(root: string): (typeof issueFolders)[number] {
  return issueFolders.find((name) => isThere(join(root, name))) ?? issueFolders[0];
}

export type IssueFile = { path: string; text: string };
/** A file that is named like an issue and cannot be read; it is reported, since a silent gap could go unnoticed. */
export type UnreadIssue = { path: string; fault: Fault };

/** An unread file: its path from the root, and its absolute path. */
export type FoundIssue = { path: string; at: string; linked: boolean };

/** All Markdown files below the issue folders of `root`, sorted by path; links are not followed. */
export function listIssueFiles(root: string): { files: IssueFile[]; unread: UnreadIssue[] } {
  const files: IssueFile[] = [];
  const unread: UnreadIssue[] = [];
  for (const entry of findIssueFiles(root)) {
    const read = readIssueFile(entry);
    if ("text" in read) files.push({ path: entry.path, text: read.text });
    else unread.push({ path: entry.path, fault: read.fault });
  }
  return { files, unread };
}

/** The same files, without their texts. */
export function findIssueFiles(root: string): FoundIssue[] {
  return issueFolders.flatMap((folder) => {
    const top = join(root, folder);
    if (!isThere(top)) return [];
    if (!statSync(top, { throwIfNoEntry: false })?.isDirectory()) throw noFolder(top);
    const names = namesBelow(top).sort((a, b) => (a.name < b.name ? -1 : 1));
    return names.map(({ name, linked }) => ({ path: join(folder, name), at: join(top, name), linked }));
  });
}

export function readIssueFile({ at, linked }: FoundIssue): { text: string } | { fault: Fault } {
  return linked ? isLink() : inspectDocument(at);
}

/** Names of Markdown files and of links to folders, at any depth. Such a link could lead out or in circles. */
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

/** The id at the start of a file's name (`FEAT-0001-add-login.md`), if any. */
export function idOfName(path: string): string | undefined {
  const id = basename(path, ".md").match(/^[A-Z]+-\d{4,}(?=$|-|_|\.)/)?.[0];
  return id !== undefined && issueIdPattern.test(id) ? id : undefined;
}

/** The id in a file's name, otherwise the one in its front matter. */
export function idOf(file: IssueFile): string | undefined {
  const idInName = idOfName(file.path);
  if (idInName !== undefined) return idInName;
  const idInText = file.text.slice(0, 4_096).match(/^id:\s*["']?([A-Z]+-\d{4,})["']?\s*$/m)?.[1];
  return idInText !== undefined && issueIdPattern.test(idInText) ? idInText : undefined;
}
