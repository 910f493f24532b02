/** Parses the parts of an issue's file: front matter to values, headings to the four sections, lists to items. */
import { z } from "zod";
import { isPattern } from "../text/glob.ts";
import type { Advice } from "../error/hint-schema.ts";
import type { Fault } from "../error/fault.ts";
import { inspectFrontMatter } from "../text/front-matter.ts";
import type { FrontMatter } from "../text/front-matter.ts";
import { issueIdPattern } from "./name.ts";
import { criticalities, issueTypes, solutions, stages, statuses } from "./vocabulary.ts";
import type { CheckState, ListItem } from "../text/list-item.ts";
import { firstHeading, proseOf, sections, withoutComments } from "../text/markdown.ts";
import type { Section } from "../text/markdown.ts";
import { oneLine } from "../text/one-line.ts";
import type { Language } from "../language/handoff-words.ts";
import { t } from "../language/translate.ts";

/** A line with a checkbox (or, where a section has none, a list item). */
export interface Item {
  text: string;
  state: CheckState;
  /** The line in the file, from 1. */
  line: number;
}

/** A text without NUL, since checks become command lines and titles become commit messages. */
const word = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine((text) => !text.includes("\0"));
const wordList = z.union([word.transform((one) => [one]), z.array(word)]).default([]);

const frontMatterSchema = z.looseObject({
  id: z.string().regex(issueIdPattern),
  type: z.enum(issueTypes).optional(),
  title: word.optional(),
  status: z.enum(statuses).default("open"),
  stage: z.enum(stages).default("draft"),
  solution: z.enum(solutions).optional(),
  priority: word.optional(),
  parent: word.optional(),
  dependencies: wordList,
  related: wordList,
  tags: wordList,
  files: wordList,
  /** Protected paths that the work may change, as .gitignore patterns. */
  allows: wordList.refine((patterns) => patterns.every(isPattern)),
  criticality: z.enum(criticalities).optional(),
  checks: wordList,
  /** `none`: the issue is about a set-up or checks that cannot run on the base yet. */
  baseline: z.enum(["none"]).optional(),
  created_at: word.optional(),
  updated_at: word.optional(),
  opened_at: word.optional(),
  closed_at: word.optional(),
});
export type IssueFrontMatter = z.infer<typeof frontMatterSchema>;

type SectionName = "objective" | "criteria" | "tasks" | "reviewComments";

export const issueHeadings: Record<SectionName, Record<Language, string>> = {
  objective: { en: "Objective", zh: "目标" },
  criteria: { en: "Acceptance Criteria", zh: "验收标准" },
  tasks: { en: "Technical Tasks", zh: "技术任务" },
  reviewComments: { en: "Review Comments", zh: "评审记录" },
};
const sectionNames = ["objective", "criteria", "tasks", "reviewComments"] as const;

export const frontMatterHint = (): Advice => [
  [{ do: "by_hand", what: t`begin the file with ---, \`id: FEAT-0001\` and ---` }],
  [{ do: "create", note: t`writes an issue` }],
];

export function titleFault(): Fault {
  return { line: 1, message: t`no title`, hint: t`add \`title: …\` to the front matter` };
}

export function typeFault(front: FrontMatter): Fault {
  const hint = t`add \`type:\` with one of ${issueTypes.join(", ")}`;
  return { line: front.keyLines.get("id") ?? 1, message: t`the id's prefix tells no type`, hint };
}

/** The front matter's values, or its faults. Empty values count as left out. */
export function readFrontMatter(text: string): {
  front: FrontMatter;
  faults: Fault[];
  values?: IssueFrontMatter;
} {
  const { front, faults } = inspectFrontMatter(text);
  if (!front.hasFrontMatter) {
    const missing = { line: 1, message: t`no front matter`, hint: frontMatterHint() };
    return { front, faults: faults.length > 0 ? faults : [missing] };
  }
  const given = Object.fromEntries(Object.entries(front.data).filter(([, value]) => value !== null));
  const parsed = frontMatterSchema.safeParse(given);
  if (parsed.success) return { front, faults, values: parsed.data };
  // With broken YAML, missing values are not reported.
  const wrong = parsed.error.issues.filter((issue) => faults.length === 0 || String(issue.path[0]) in given);
  return { front, faults: [...faults, ...wrong.map((issue) => faultOf(issue, front))] };
}

function faultOf(issue: z.core.$ZodIssue, front: FrontMatter): Fault {
  const key = String(issue.path[0] ?? "");
  const line = front.keyLines.get(key) ?? 1;
  const given = key in front.data ? JSON.stringify(front.data[key])?.slice(0, 60) : undefined;
  if (given === undefined) return { line, message: t`no ${key}`, hint: frontMatterHint() };
  const message = t`${key} cannot be ${given}`;
  if (issue.code === "invalid_value") return { line, message, hint: t`one of ${issue.values.join(", ")}` };
  if (key === "id") return { line, message, hint: t`capitals, a dash, four digits or more: FEAT-0001` };
  if (key === "allows")
    return { line, message, hint: t`patterns as in .gitignore: [.github/, scripts/*.sh]` };
  return { line, message, hint: t`a word, or a list of words` };
}

export interface Body {
  all: { name: SectionName | undefined; section: Section }[];
  /** The first section of each name. */
  byName: Partial<Record<SectionName, Section>>;
  criteria: Item[];
  tasks: Item[];
}

export function readBody(front: FrontMatter): Body {
  const all = sections(front.body).map((section) => ({ name: sectionNameOf(section.heading), section }));
  const byName: Body["byName"] = {};
  for (const { name, section } of all) if (name) byName[name] ??= section;
  const items = (section: Section | undefined): Item[] =>
    section
      ? itemsOf(section).map((item) => ({ ...itemOf(item), line: item.line + front.bodyLine - 1 }))
      : [];
  return { all, byName, criteria: items(byName.criteria), tasks: items(byName.tasks) };
}

/** The section that a heading names, ignoring a remark in parentheses or after a colon, dash or slash. */
function sectionNameOf(heading: string): SectionName | undefined {
  const plain = heading
    .replace(/(?<!\s)\s*(?:[(（:：/—–]|\s-\s).*$/su, "")
    .trim()
    .toLowerCase();
  return sectionNames.find((name) =>
    Object.values(issueHeadings[name]).some((heading) => heading.toLowerCase() === plain),
  );
}

/** The items with a checkbox at any depth; in a section without checkboxes, all list items. */
export function itemsOf(section: Section): ListItem[] {
  return countingItems(section.blocks.flatMap((block) => (block.kind === "list" ? block.items : [])));
}

/** Of the items of lists those with a box, at any depth; where none has one, the items at the top. */
export function countingItems(top: readonly ListItem[]): ListItem[] {
  const flat = (items: readonly ListItem[]): ListItem[] =>
    items.flatMap((item) => [item, ...flat(item.items)]);
  const boxes = flat(top).filter((item) => item.state !== undefined);
  return (boxes.length > 0 ? boxes : top).filter((item) => itemOf(item).text !== "");
}

export function itemOf(item: ListItem): { text: string; state: CheckState } {
  return { text: oneLine(withoutPlaceholder(item.ownText)), state: item.state ?? "todo" };
}

/** The text, or "" for a template's placeholder: an item that is only a comment. */
function withoutPlaceholder(text: string): string {
  return withoutComments(text).trim() === "" ? "" : text;
}

export function proseIn(section: Section | undefined): string {
  return section ? proseOf(section).trim() : "";
}

/** The title in the front matter, else the first heading (which may repeat the id). */
export function titleOf(values: IssueFrontMatter, body: string): string {
  const heading = (): string => (firstHeading(body) ?? "").replace(/^[A-Z]+-\d{4,}\s*[:：]?\s*/, "");
  const title = oneLine(values.title ?? heading());
  return values.title === undefined && sectionNameOf(title) ? "" : title;
}
