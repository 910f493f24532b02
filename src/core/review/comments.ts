/** A person's comments on a diff, written below its lines in an editor or as `file:line: text`; each becomes a finding. */
import type { Finding } from "./verdict-schema.ts";

/** A comment; without a place it is about the whole submission. */
export type Comment = { text: string; file?: string; line?: number };

const mark = "#";
const heading = `${mark} file: `;

/** The sheet for an editor: `head`, then a unified diff of git's with `#` before every line, and the line's number in the submission. */
export function commentSheet(diff: string, head: readonly string[]): string {
  const lines = head.map((line) => `${mark} ${line}`.trimEnd());
  let next: number | undefined;
  for (const line of diff.split("\n")) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)?.[1];
    const file = fileOf(line);
    if (file !== undefined) {
      next = undefined;
      lines.push("", `${heading}${file}`);
    } else if (start !== undefined) {
      next = Number(start);
      lines.push(mark);
    } else if (next !== undefined && /^[ +-]/.test(line)) {
      const number = line.startsWith("-") ? "" : String(next++);
      lines.push(`${mark} ${number.padStart(5)} ${line}`);
    } else if (/^(?:Binary files|rename (?:from|to)) /.test(line)) lines.push(`${mark}       ${line}`);
  }
  return `${lines.join("\n")}\n`;
}

/** The file of `diff --git a/FILE b/FILE`; a name with " b/" in it is found because both names are the same. */
function fileOf(line: string): string | undefined {
  const [, both] = /^diff --git (.*)$/.exec(line) ?? [];
  const [, same] = /^"?a\/(.*?)"? "?b\/\1"?$/.exec(both ?? "") ?? [];
  return same ?? /^"?a\/.* "?b\/(.*?)"?$/.exec(both ?? "")?.[1];
}

/** The comments on a sheet, each about the numbered line above it. Lines of the sheet may have been deleted. */
export function commentsOn(sheet: string): Comment[] {
  const comments: Comment[] = [];
  let file: string | undefined;
  let line: number | undefined;
  let written: string[] = [];
  const keep = (): void => {
    const text = written.join("\n").trim();
    written = [];
    if (text !== "") comments.push({ text, ...(file !== undefined && { file, ...(line && { line }) }) });
  };
  for (const row of sheet.split(/\r?\n/)) {
    if (!row.startsWith(mark)) {
      written.push(row);
      continue;
    }
    keep();
    if (row.startsWith(heading)) [file, line] = [row.slice(heading.length), undefined];
    const number = /^# +(\d+) [ +]/.exec(row)?.[1];
    if (number !== undefined) line = Number(number);
  }
  keep();
  return comments;
}

/** A comment: `src/a.ts:12: text` names a place, any other text is about the whole. The place is not checked here. */
export function commentOf(message: string): Comment {
  const [, file, line, text] = /^([^\s:][^\n:]*):(\d{1,9}):?\s+(\S[^]*)$/.exec(message.trim()) ?? [];
  if (file === undefined || text === undefined) return { text: message.trim() };
  return { text, file, line: Number(line) };
}

/** Each comment as a blocker of this submission, numbered in order. */
export function personFindings(comments: readonly Comment[], submission: number): Finding[] {
  return comments.map(({ text, ...place }, index) => ({
    id: `person-${submission}${comments.length > 1 ? `-${index + 1}` : ""}`,
    severity: "blocker",
    title: text.split("\n")[0] ?? "",
    ...place,
    evidence: { text },
  }));
}
