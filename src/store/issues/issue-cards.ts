/** The cards of a worktree's issues: reads the front matter of new and changed files only. */
import { lstatSync } from "node:fs";
import { attempt } from "../../core/error/attempt.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { Card } from "../../core/issue/card.ts";
import { racyMs } from "../../core/limits.ts";
import { findIssueFiles, idOf, readIssueFile } from "../issue-folder.ts";
import type { FoundIssue, IssueFile, UnreadIssue } from "../issue-folder.ts";
import { openCardCache } from "./card-cache.ts";

export type IssueCards = {
  /** The issues by path; `text` only on request. */
  issues: { path: string; card: Card; text?: string }[];
  unread: UnreadIssue[];
  /** Files that are named like an issue, or contain an id, and cannot be parsed. */
  broken: { id: string; error: MonocoError }[];
};

/** Reads all cards; without `cache`, or for texts, from all files. */
export async function issueCards(
  root: string,
  { cache: path, texts = false, nowMs }: { cache: string | undefined; texts?: boolean; nowMs: number },
): Promise<IssueCards> {
  const files = findIssueFiles(root);
  const cache = path !== undefined && !texts ? openCardCache(path) : undefined;
  const all: IssueCards = { issues: [], unread: [], broken: [] };
  for (const file of files) {
    // Computed before the file is read, so that the key of a file that changes meanwhile is too old rather than too new.
    const key = cache && keyOf(file, nowMs);
    const cached = key === undefined ? undefined : cache?.get(key);
    if (cached) {
      all.issues.push({ path: file.path, card: cached });
      continue;
    }
    const read = readIssueFile(file);
    if ("fault" in read) {
      all.unread.push({ path: file.path, fault: read.fault });
      continue;
    }
    const id = idOf({ path: file.path, text: read.text });
    if (id === undefined) continue;
    const card = await readCard({ path: file.path, text: read.text });
    if (card instanceof MonocoError) {
      all.broken.push({ id, error: card });
      continue;
    }
    if (key !== undefined) cache?.keep(key, card);
    all.issues.push({ path: file.path, card, ...(texts && { text: read.text }) });
  }
  cache?.save();
  return all;
}

/** A key that changes with the file's text; undefined if the file is not regular, or was changed moments ago. */
function keyOf({ at, path, linked }: FoundIssue, nowMs: number): string | undefined {
  const stat = linked ? undefined : attempt(() => lstatSync(at), undefined);
  if (!stat?.isFile()) return undefined;
  const { ino, size, mtimeMs, ctimeMs } = stat;
  if (Math.max(mtimeMs, ctimeMs) > nowMs - racyMs) return undefined;
  return `${ino} ${size} ${mtimeMs} ${ctimeMs} ${path}`;
}

/** Parses a card; loads the parser only on the first call. */
export async function readCard({ path, text }: IssueFile): Promise<Card | MonocoError> {
  const { parseCard } = await import("../../core/issue/issue.ts");
  try {
    return parseCard(text, path);
  } catch (error) {
    if (error instanceof MonocoError) return error;
    throw error;
  }
}
