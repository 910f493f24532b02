/** The common form of everything that is imported: an item with its key in the source and its line there. */
import { slugOf } from "../issue/name.ts";
import type { IssueType, Solution } from "../issue/vocabulary.ts";
import type { CheckState } from "../text/list-item.ts";
import { oneLine } from "../text/one-line.ts";
import { plain, plainLine } from "../text/sanitize.ts";
import { withoutComments } from "../text/markdown.ts";

export interface ImportItem {
  /** The item's key within its source: an id, a number, or its text; "" for the source as a whole. */
  key: string;
  line: number;
  type: IssueType;
  title: string;
  objective: string;
  criteria: string[];
  tasks: ImportTask[];
  priority?: string;
  tags: string[];
  /** Keys of items in the same source. */
  dependencies: string[];
  /** The dependencies are the file's order: an item after this one waits for them if this one is not imported. */
  inOrder?: true;
  /** The key of the item that this one is part of. */
  parent?: string;
  /** The source puts the item off. */
  frozen?: true;
  /** How the item ended, if the source says that it is done. */
  done?: Solution;
  /** The branch named by the source. */
  branch?: string;
}

export type ImportTask = { text: string; state: CheckState };

/** A source as it was read: its items, and remarks on what was skipped. */
export type Reading = { items: ImportItem[]; remarks: string[] };

/** A remark on what these lines or numbers have; none without any. */
export function remarkOn(places: readonly unknown[], say: (places: string) => string): string[] {
  return places.length === 0 ? [] : [say(importedWord(places.join(", ")))];
}

/** A key, tag or priority, on one line and without control characters. */
export function importedWord(text: string): string {
  return oneLine(plain(text).toWellFormed(), 200);
}

/** A title, cut if it is too long; the objective then has all of it. */
export function importedTitle(text: string): string {
  return plainLine(withoutComments(text).toWellFormed());
}

/** An objective with its lines kept, without comments and control characters; a stray comment opener is defused. */
export function importedText(text: string): string {
  return withoutComments(plain(text).toWellFormed()).replaceAll("<!--", "&lt;!--").trim();
}

/** A criterion or task, on one line and without its own checkbox. */
export function importedLine(text: string): string {
  const line = oneLine(importedText(text)).replace(/^(?:(?:[-*+]\s+)?\[[ xX/~+-]\]\s+)+/, "");
  return oneLine(line.replace(/^[-*+]\s+/, ""), 2_000);
}

/** The task of a text; none if the text is empty. */
export function importedTask(text: string, state: CheckState = "todo"): ImportTask[] {
  const line = importedLine(text);
  return line === "" ? [] : [{ text: line, state }];
}

/** The objective of an item that has only a title, or whose title was cut. */
export function objectiveOf(title: string, parts: readonly string[]): string {
  const whole = importedText(title);
  const given = parts.map(importedText).filter((part) => part !== "");
  const first = oneLine(whole) === importedTitle(title) && given.length > 0 ? [] : [whole];
  return [...first, ...given].join("\n\n");
}

/** Tags made of letters, digits and dashes. */
export function tagsOf(labels: readonly string[]): string[] {
  const slugs = labels.filter((word) => /[\p{L}\p{N}]/u.test(word)).map(slugOf);
  return [...new Set(slugs)];
}
