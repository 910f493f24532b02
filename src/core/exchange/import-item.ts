/** What an import takes from any source: items in monoco's own words, each with its key there and the line it stands on. */
import { slugOf } from "../issue/name.ts";
import type { IssueType, Solution } from "../issue/vocabulary.ts";
import { oneLine } from "../text/one-line.ts";
import { plain, plainLine } from "../text/sanitize.ts";
import { withoutComments } from "../text/markdown.ts";

export interface ImportItem {
  /** What tells it from the others of its source: an id, a number, or its own words; "" for the source as a whole. */
  key: string;
  line: number;
  type: IssueType;
  title: string;
  objective: string;
  criteria: string[];
  tasks: string[];
  priority?: string;
  tags: string[];
  /** Keys of the same source. */
  dependencies: string[];
  /** The source says that there is nothing left to do, and how it ended. */
  done?: Solution;
  /** The branch that the source names. */
  branch?: string;
}

/** A source as it was read: its items, and in words what was passed over. */
export type Reading = { items: ImportItem[]; remarks: string[] };

/** A key, tag or priority: on one line, without control characters. */
export function importedWord(text: string): string {
  return oneLine(plain(text).toWellFormed(), 200);
}

/** A title that is too long for one is cut: the objective has it whole. */
export function importedTitle(text: string): string {
  return plainLine(withoutComments(text).toWellFormed());
}

/** An objective: its lines as they stand, without comments and control characters; what begins a comment begins none here. */
export function importedText(text: string): string {
  return withoutComments(plain(text).toWellFormed()).replaceAll("<!--", "&lt;!--").trim();
}

/** A criterion or a task: on one line, without a checkbox of its own. */
export function importedLine(text: string): string {
  const line = oneLine(importedText(text)).replace(/^(?:(?:[-*+]\s+)?\[[ xX/~+-]\]\s+)+/, "");
  return oneLine(line.replace(/^[-*+]\s+/, ""), 2_000);
}

/** The objective of an item that has nothing to say but its title, or a title that had to be cut. */
export function objectiveOf(title: string, parts: readonly string[]): string {
  const whole = importedText(title);
  const given = parts.map(importedText).filter((part) => part !== "");
  const first = oneLine(whole) === importedTitle(title) && given.length > 0 ? [] : [whole];
  return [...first, ...given].join("\n\n");
}

/** Tags are words: letters, digits and dashes. */
export function tagsOf(words: readonly string[]): string[] {
  const slugs = words.filter((word) => /[\p{L}\p{N}]/u.test(word)).map(slugOf);
  return [...new Set(slugs)];
}
