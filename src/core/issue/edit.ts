/** Changes to an issue's file that leave every other byte alone, and new issues from their template. */
import { inspectFrontMatter } from "../text/front-matter.ts";
import { editFrontMatter, lineEnding, yamlScalar } from "../text/front-matter-edit.ts";
import { issueHeadings, itemOf, itemsOf, readBody } from "./document.ts";
import type { Solution } from "./vocabulary.ts";
import { checkMarks } from "../text/list-item.ts";
import type { CheckState } from "../text/list-item.ts";
import { oneLine } from "../text/one-line.ts";
import { fillTemplate } from "../text/template.ts";
import type { Language } from "../language/handoff-words.ts";

/** The base's text with the branch's ticks for criteria and tasks of the same text; a criterion is never cancelled this way. */
export function mergeTicks(base: string, branch: string): string {
  const ticks = new Map(boxesOf(branch).map((box) => [box.key, box.state]));
  return boxesOf(base).reduce((text, box) => {
    const state = ticks.get(box.key);
    if (!state || state === box.state) return text;
    if (box.name === "criteria" && [state, box.state].includes("cancelled")) return text;
    return text.slice(0, box.offset) + checkMarks[state] + text.slice(box.offset + 1);
  }, base);
}

/** Each checkbox by a unique key: its section, its text, and the count of earlier boxes with the same text. */
function boxesOf(
  text: string,
): { name: "criteria" | "tasks"; key: string; offset: number; state: CheckState }[] {
  const { front } = inspectFrontMatter(text);
  const { byName } = readBody(front);
  const seen = new Map<string, number>();
  return (["criteria", "tasks"] as const).flatMap((name) =>
    (byName[name] ? itemsOf(byName[name]) : []).flatMap((item) => {
      if (!item.state || item.markOffset === undefined) return [];
      const label = `${name}: ${itemOf(item).text}`;
      const nth = (seen.get(label) ?? 0) + 1;
      seen.set(label, nth);
      return [{ name, key: `${nth} ${label}`, offset: front.bodyStart + item.markOffset, state: item.state }];
    }),
  );
}

/**
 * Adds `lines` to the review section, which is created at the end if missing. No other byte changes. Comments that
 * would begin a section or swallow the next one are written as a quotation.
 */
export function appendReviewComment(text: string, language: Language, lines: string): string {
  const comment = lines.trim().split(/\r\n|\r|\n/);
  const plain = insertReview(text, language, comment);
  if (structureOf(plain, lines) === structureOf(text, "")) return plain;
  const quoted = comment.map((line) => `> ${line}`.trimEnd());
  return insertReview(text, language, quoted);
}

/** The headings of all other sections, including one that would follow, and whether `lines` are in the review section. */
function structureOf(text: string, lines: string): string {
  const { byName, all } = readBody(inspectFrontMatter(`${text}\n\n## Next\n`).front);
  const others = all.filter(({ name }) => name !== "reviewComments").map(({ section }) => section.heading);
  const held = oneLine(byName.reviewComments?.source ?? "").includes(oneLine(lines));
  return JSON.stringify([others, all.filter(({ name }) => name === "reviewComments").length > 1, held]);
}

function insertReview(text: string, language: Language, lines: readonly string[]): string {
  const { front } = inspectFrontMatter(text);
  const eol = lineEnding(text);
  const comment = lines.join(eol);
  const section = readBody(front).byName.reviewComments;
  if (!section) {
    const gap = text === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
    return `${text}${gap}## ${issueHeadings.reviewComments[language]}${eol}${eol}${comment}${eol}`;
  }
  // The offset after the section's last line, trailing blanks included.
  const sectionLength = section.source.trimEnd().length;
  const blanks = /^[^\n]*?(?=\r?\n|$)/.exec(section.source.slice(sectionLength))?.[0].length ?? 0;
  const end = front.bodyStart + section.contentOffset + sectionLength + blanks;
  const rest = text.slice(end);
  return `${text.slice(0, end)}${eol}${eol}${comment}${rest === "" ? eol : rest}`;
}

/** The file of a closed issue: new front matter values, every other byte kept. */
export function closeIssue(
  text: string,
  how: { closedAt: string; solution: Solution; file?: string },
): string {
  const { closedAt, solution } = how;
  const changes = { status: "closed", stage: "done", solution, updated_at: closedAt, closed_at: closedAt };
  return editFrontMatter(text, changes, how.file);
}

/** A new issue from its template. The title is quoted in YAML, and verbatim in the body. */
export function newIssue(template: string, values: { id: string; title: string; createdAt: string }): string {
  const title = oneLine(values.title);
  const { front } = inspectFrontMatter(template);
  const head = template.slice(0, front.bodyStart);
  const yaml = { id: values.id, title: yamlScalar(title), createdAt: yamlScalar(values.createdAt) };
  return fillTemplate(head, yaml) + fillTemplate(front.body, { ...yaml, title, createdAt: values.createdAt });
}
