/** The issue file, the contract of a relay: text to values, and changes that leave every other byte alone. */
import { z } from "zod";
import { MonocoError } from "./error.ts";
import {
  checkMarks,
  editFrontMatter,
  faultError,
  firstHeading,
  inspectFrontMatter,
  lineEnding,
  proseOf,
  sections,
  withoutComments,
  yamlScalar,
} from "./markdown.ts";
import type { CheckState, Fault, FrontMatter, ListItem, Section } from "./markdown.ts";
import { fillTemplate } from "./template.ts";

export const issueTypes = ["feature", "fix", "chore", "epic"] as const;
export type IssueType = (typeof issueTypes)[number];
export const statuses = ["open", "closed", "backlog"] as const;
export type Status = (typeof statuses)[number];
export const stages = ["draft", "doing", "review", "done", "freezed"] as const;
export type Stage = (typeof stages)[number];
export const solutions = ["implemented", "cancelled", "wontfix", "duplicate"] as const;
export type Solution = (typeof solutions)[number];
export const criticalities = ["low", "medium", "high", "critical"] as const;
export type Criticality = (typeof criticalities)[number];
export type Language = "en" | "zh";

/** Ids become paths and branch names: this is all that they may be. */
export const issueIdPattern = /^[A-Z]{1,24}-\d{4,12}$/;

/** A line with a checkbox (or, where a section has none, a list item). */
export interface Item {
  text: string;
  state: CheckState;
  /** Line in the file, from 1. */
  line: number;
}

export interface Issue {
  id: string;
  type: IssueType;
  title: string;
  status: Status;
  stage: Stage;
  solution?: Solution;
  priority?: string;
  parent?: string;
  dependencies: string[];
  related: string[];
  tags: string[];
  files: string[];
  criticality?: Criticality;
  checks: string[];
  createdAt?: string;
  updatedAt?: string;
  openedAt?: string;
  closedAt?: string;
  language: Language;
  objective: string;
  criteria: Item[];
  tasks: Item[];
  reviewComments: string;
}

const typesByPrefix: Record<string, IssueType> = {
  FEAT: "feature",
  FIX: "fix",
  CHORE: "chore",
  EPIC: "epic",
};

const word = z.union([z.string(), z.number()]).transform(String);
const words = z.union([word.transform((one) => [one]), z.array(word)]).default([]);

const frontMatterSchema = z.looseObject({
  id: z.string().regex(issueIdPattern),
  type: z.enum(issueTypes).optional(),
  title: word.optional(),
  status: z.enum(statuses).default("open"),
  stage: z.enum(stages).default("draft"),
  solution: z.enum(solutions).optional(),
  priority: word.optional(),
  parent: word.optional(),
  dependencies: words,
  related: words,
  tags: words,
  files: words,
  criticality: z.enum(criticalities).optional(),
  checks: words,
  created_at: word.optional(),
  updated_at: word.optional(),
  opened_at: word.optional(),
  closed_at: word.optional(),
});
type IssueFrontMatter = z.infer<typeof frontMatterSchema>;

type SectionName = "objective" | "criteria" | "tasks" | "reviewComments";

const headings: Record<SectionName, Record<Language, string>> = {
  objective: { en: "Objective", zh: "目标" },
  criteria: { en: "Acceptance Criteria", zh: "验收标准" },
  tasks: { en: "Technical Tasks", zh: "技术任务" },
  reviewComments: { en: "Review Comments", zh: "评审记录" },
};
const sectionNames = ["objective", "criteria", "tasks", "reviewComments"] as const;

/** Parses an issue. Throws `input` with file, line and remedy at the first thing that keeps it from being read. */
export function parseIssue(text: string, file: string): Issue {
  const { front, faults, values } = readFrontMatter(text);
  if (faults[0]) throw faultError(faults[0], file);
  if (!values) throw new MonocoError("input", `${file}:1: no front matter`, { hint: frontMatterHint });
  const body = readBody(front);
  const title = titleOf(values, front.body);
  const type = values.type ?? typesByPrefix[values.id.split("-")[0] ?? ""];
  if (!title) throw faultError(titleFault, file);
  if (!type) throw faultError(typeFault(front), file);
  return {
    id: values.id,
    type,
    title,
    status: values.status,
    stage: values.stage,
    ...(values.solution && { solution: values.solution }),
    ...(values.priority !== undefined && { priority: values.priority }),
    ...(values.parent !== undefined && { parent: values.parent }),
    dependencies: values.dependencies,
    related: values.related,
    tags: values.tags,
    files: values.files,
    ...(values.criticality && { criticality: values.criticality }),
    checks: values.checks,
    ...(values.created_at !== undefined && { createdAt: values.created_at }),
    ...(values.updated_at !== undefined && { updatedAt: values.updated_at }),
    ...(values.opened_at !== undefined && { openedAt: values.opened_at }),
    ...(values.closed_at !== undefined && { closedAt: values.closed_at }),
    language: languageOf(body.byName, title),
    objective: proseIn(body.byName.objective),
    criteria: body.criteria,
    tasks: body.tasks,
    reviewComments: proseIn(body.byName.reviewComments),
  };
}

const frontMatterHint = "an issue begins with ---, `id: FEAT-0001` and ---; `monoco issue create` writes one";
const titleFault: Fault = { line: 1, message: "no title", hint: "add `title: …` to the front matter" };

function typeFault(front: FrontMatter): Fault {
  const hint = `add \`type:\` with one of ${issueTypes.join(", ")}`;
  return { line: front.keyLines.get("id") ?? 1, message: "the id's prefix tells no type", hint };
}

/** The front matter's values, or what is wrong with them. Empty values count as left out. */
function readFrontMatter(text: string): { front: FrontMatter; faults: Fault[]; values?: IssueFrontMatter } {
  const { front, faults } = inspectFrontMatter(text);
  if (!front.hasFrontMatter) {
    const missing = { line: 1, message: "no front matter", hint: frontMatterHint };
    return { front, faults: faults.length > 0 ? faults : [missing] };
  }
  const given = Object.fromEntries(Object.entries(front.data).filter(([, value]) => value !== null));
  const parsed = frontMatterSchema.safeParse(given);
  if (parsed.success) return { front, faults, values: parsed.data };
  // Where the YAML itself is broken, what is missing from it says nothing.
  const wrong = parsed.error.issues.filter((issue) => faults.length === 0 || String(issue.path[0]) in given);
  return { front, faults: [...faults, ...wrong.map((issue) => faultOf(issue, front))] };
}

function faultOf(issue: z.core.$ZodIssue, front: FrontMatter): Fault {
  const key = String(issue.path[0] ?? "");
  const line = front.keyLines.get(key) ?? 1;
  const given = key in front.data ? JSON.stringify(front.data[key])?.slice(0, 60) : undefined;
  if (given === undefined) return { line, message: `no ${key}`, hint: frontMatterHint };
  const message = `${key} cannot be ${given}`;
  if (issue.code === "invalid_value") return { line, message, hint: `one of ${issue.values.join(", ")}` };
  if (key === "id") return { line, message, hint: "capitals, a dash, four digits or more: FEAT-0001" };
  return { line, message, hint: "a word, or a list of words" };
}

interface Body {
  all: { name: SectionName | undefined; section: Section }[];
  /** The first section of each name. */
  byName: Partial<Record<SectionName, Section>>;
  criteria: Item[];
  tasks: Item[];
}

function readBody(front: FrontMatter): Body {
  const all = sections(front.body).map((section) => ({ name: sectionNameOf(section.heading), section }));
  const byName: Body["byName"] = {};
  for (const { name, section } of all) if (name) byName[name] ??= section;
  const items = (section: Section | undefined): Item[] =>
    section
      ? itemsOf(section).map((item) => ({ ...itemOf(item), line: item.line + front.bodyLine - 1 }))
      : [];
  return { all, byName, criteria: items(byName.criteria), tasks: items(byName.tasks) };
}

/** The words of the heading, without a remark in parentheses or after a colon, dash or slash. */
function sectionNameOf(heading: string): SectionName | undefined {
  const plain = heading
    .replace(/\s*(?:[(（:：/—–]|\s-\s).*$/u, "")
    .trim()
    .toLowerCase();
  return sectionNames.find((name) =>
    Object.values(headings[name]).some((known) => known.toLowerCase() === plain),
  );
}

/** Items with a checkbox at any depth; in a section that has none, the items of its lists. */
function itemsOf(section: Section): ListItem[] {
  const top = section.blocks.flatMap((block) => (block.kind === "list" ? block.items : []));
  const flat = (items: readonly ListItem[]): ListItem[] =>
    items.flatMap((item) => [item, ...flat(item.items)]);
  const boxes = flat(top).filter((item) => item.state !== undefined);
  return (boxes.length > 0 ? boxes : top).filter((item) => itemOf(item).text !== "");
}

function itemOf(item: ListItem): { text: string; state: CheckState } {
  return { text: oneLine(withoutPlaceholder(item.ownText)), state: item.state ?? "todo" };
}

/** An item that is nothing but a comment is a template's placeholder. */
function withoutPlaceholder(text: string): string {
  return withoutComments(text).trim() === "" ? "" : text;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function proseIn(section: Section | undefined): string {
  return section ? proseOf(section).trim() : "";
}

/** The title of the front matter, else the first heading (which may repeat the id). */
function titleOf(values: IssueFrontMatter, body: string): string {
  const heading = (): string => (firstHeading(body) ?? "").replace(/^[A-Z]+-\d{4,}\s*[:：]?\s*/, "");
  const title = oneLine(values.title ?? heading());
  return values.title === undefined && sectionNameOf(title) ? "" : title;
}

function languageOf(byName: Body["byName"], title: string): Language {
  const known = Object.values(byName).map((section) => chinese(section.heading.split(/[(（/]/)[0] ?? ""));
  if (known.length === 0) return chinese(title) ? "zh" : "en";
  return known.filter(Boolean).length * 2 > known.length ? "zh" : "en";
}

function chinese(text: string): boolean {
  return /\p{Script=Han}/u.test(text);
}

/** Everything that is wrong with an issue, in the order of its lines. Never throws. */
export function lintIssue(text: string, file: string): Fault[] {
  const { front, faults, values } = readFrontMatter(text);
  const found = [...faults];
  if (values) found.push(...lintValues(values, front, file));
  if (front.hasFrontMatter) found.push(...lintBody(front));
  return found.sort((a, b) => a.line - b.line);
}

function lintValues(values: IssueFrontMatter, front: FrontMatter, file: string): Fault[] {
  const found: Fault[] = [];
  const say = (key: string, message: string, hint: string): void => {
    found.push({ line: front.keyLines.get(key) ?? 1, message, hint });
  };
  const { id, status, stage, solution } = values;
  const name = file.split(/[\\/]/).at(-1) ?? file;
  if (!name.startsWith(id) || !/^(?:-|\.|$)/.test(name.slice(id.length))) {
    say(
      "id",
      `the file's name does not begin with ${id}`,
      `rename it to ${id}-${slugOf(titleOf(values, front.body))}.md`,
    );
  }
  if (!titleOf(values, front.body)) found.push(titleFault);
  if (!values.type && !typesByPrefix[id.split("-")[0] ?? ""]) found.push(typeFault(front));
  const close = `\`monoco issue close ${id}\` sets what belongs together`;
  if (status === "closed" && !solution)
    say("status", "closed without a solution", `solution: ${solutions.join(" | ")}`);
  if (status !== "closed" && solution) say("solution", `${status}, and yet it has a solution`, close);
  if (!stagesOf[status].includes(stage)) {
    const key = front.keyLines.has("stage") ? "stage" : "status";
    say(
      key,
      `${status} and ${stage} do not go together`,
      `${status} goes with ${stagesOf[status].join(", ")}`,
    );
  }
  for (const key of ["created_at", "updated_at", "opened_at", "closed_at"] as const) {
    const time = values[key];
    if (time === undefined || zonedTime.test(time)) continue;
    say(key, `${key} is no time with a zone: ${time.slice(0, 40)}`, "write it like 2026-01-31T09:00:00Z");
  }
  for (const other of values.dependencies.filter((other) => !issueIdPattern.test(other))) {
    say("dependencies", `${other.slice(0, 40)} is no issue's id`, "ids look like FEAT-0001");
  }
  if (values.dependencies.includes(id))
    say("dependencies", "it depends on itself", "take it out of the list");
  return found;
}

const stagesOf: Record<Status, readonly Stage[]> = {
  open: ["draft", "doing", "review"],
  closed: ["done"],
  backlog: ["draft", "freezed"],
};

const zonedTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

function lintBody(front: FrontMatter): Fault[] {
  const { all, byName, criteria } = readBody(front);
  const line = (section: Section | undefined): number =>
    section ? section.line + front.bodyLine - 1 : front.bodyLine;
  const twice = all.filter(({ name, section }) => name && byName[name] !== section);
  const found: Fault[] = twice.map(({ section }) => ({
    line: line(section),
    message: `a second section "${section.heading}"; only the first counts`,
    hint: "put the two together",
  }));
  if (!proseIn(byName.objective)) {
    const hint = "say under `## Objective` (目标) what is to be achieved, and why";
    found.push({ line: line(byName.objective), message: "no objective", hint });
  }
  if (criteria.length === 0) {
    const hint = "list under `## Acceptance Criteria` (验收标准) what must hold: `- [ ] …`";
    found.push({ line: line(byName.criteria), message: "no acceptance criteria", hint });
  } else if (byName.criteria && itemsOf(byName.criteria).every((item) => item.state === undefined)) {
    const hint = "write them as `- [ ] …`, so that they can be ticked";
    found.push({ line: criteria[0]?.line ?? 1, message: "acceptance criteria without checkboxes", hint });
  }
  return found;
}

/** What may be written into the front matter; `undefined` removes the key. */
export type FrontMatterChanges = Readonly<Record<string, string | undefined>>;

/** Changes only the bytes of those values: see `editFrontMatter`. */
export function setFrontMatter(text: string, changes: FrontMatterChanges, file = "issue"): string {
  return editFrontMatter(text, changes, file);
}

/** The base's text, with the ticks of the branch's copy where a criterion or task has the same words in both. */
export function mergeTicks(base: string, branch: string): string {
  const ticks = new Map(boxesOf(branch).map((box) => [box.key, box.state]));
  return boxesOf(base).reduce((text, box) => {
    const state = ticks.get(box.key);
    if (!state || state === box.state) return text;
    return text.slice(0, box.offset) + checkMarks[state] + text.slice(box.offset + 1);
  }, base);
}

/** Each checkbox with a key of its own: section, words, and how often those words came before. */
function boxesOf(text: string): { key: string; offset: number; state: CheckState }[] {
  const { front } = inspectFrontMatter(text);
  const { byName } = readBody(front);
  const seen = new Map<string, number>();
  return (["criteria", "tasks"] as const).flatMap((name) =>
    (byName[name] ? itemsOf(byName[name]) : []).flatMap((item) => {
      if (!item.state || item.markOffset === undefined) return [];
      const words = `${name}: ${itemOf(item).text}`;
      const nth = (seen.get(words) ?? 0) + 1;
      seen.set(words, nth);
      return [{ key: `${nth} ${words}`, offset: front.bodyStart + item.markOffset, state: item.state }];
    }),
  );
}

/**
 * Adds to the review section, which is made at the end where there is none. Not a byte changes elsewhere. Comments that
 * would begin a section of their own, or swallow the next one, are written as a quotation.
 */
export function appendReviewComment(text: string, language: Language, lines: string): string {
  const comment = lines.trim().split(/\r\n|\r|\n/);
  const plain = insertReview(text, language, comment);
  if (structureOf(plain, lines) === structureOf(text, "")) return plain;
  const quoted = comment.map((line) => `> ${line}`.trimEnd());
  return insertReview(text, language, quoted);
}

/** The headings of all other sections, one that would follow included, and whether `lines` stand in the review section. */
function structureOf(text: string, lines: string): string {
  const { byName, all } = readBody(inspectFrontMatter(`${text}\n\n## The next section\n`).front);
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
    return `${text}${gap}## ${headings.reviewComments[language]}${eol}${eol}${comment}${eol}`;
  }
  const end = front.bodyStart + section.contentOffset + section.source.trimEnd().length;
  const rest = text.slice(end);
  return `${text.slice(0, end)}${eol}${eol}${comment}${rest === "" ? eol : rest}`;
}

export type ContractPart = "objective" | "criteria" | "checks" | "title";

/** What an Executor may not change and did; ticks and technical tasks are its own. */
export function contractChanges(contract: Issue, copy: Issue): ContractPart[] {
  const same: Record<ContractPart, (issue: Issue) => unknown> = {
    objective: (issue) => oneLine(issue.objective),
    criteria: (issue) => issue.criteria.map((item) => item.text),
    checks: (issue) => issue.checks,
    title: (issue) => oneLine(issue.title),
  };
  const parts: ContractPart[] = ["objective", "criteria", "checks", "title"];
  return parts.filter((part) => JSON.stringify(same[part](contract)) !== JSON.stringify(same[part](copy)));
}

/** 60 letters of four bytes still fit the 255 bytes of a file name, with the id before them and `.md` behind. */
const slugCharsMax = 60;

/** A title as part of a file name: letters and digits of any script, lower case, dashes. */
export function slugOf(title: string): string {
  const words = title
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-");
  const slug = Array.from(words.replace(/^-/, "")).slice(0, slugCharsMax).join("").replace(/-$/, "");
  return slug || "untitled";
}

/** What closing an issue writes; the rest of the file stays as it is. */
export function closeIssue(text: string, how: { closedAt: string; solution: Solution }): string {
  return setFrontMatter(text, {
    status: "closed",
    stage: "done",
    solution: how.solution,
    updated_at: how.closedAt,
    closed_at: how.closedAt,
  });
}

/** A new issue from its template. The title is quoted where it stands in YAML, and as it is in the body. */
export function newIssue(template: string, values: { id: string; title: string; createdAt: string }): string {
  const title = oneLine(values.title);
  const { front } = inspectFrontMatter(template);
  const head = template.slice(0, front.bodyStart);
  const yaml = { id: values.id, title: yamlScalar(title), createdAt: yamlScalar(values.createdAt) };
  return fillTemplate(head, yaml) + fillTemplate(front.body, { ...yaml, title, createdAt: values.createdAt });
}

interface Transition {
  from: { status: readonly Status[]; stage: readonly Stage[] };
  changes: FrontMatterChanges;
}

const anyStage = stages;
const closed = (solution: Solution): FrontMatterChanges => ({ status: "closed", stage: "done", solution });

/** The life of an issue: from where each step is legal, and what it changes. */
export const transitions = {
  start: { from: { status: ["open"], stage: ["draft"] }, changes: { stage: "doing" } },
  stop: { from: { status: ["open"], stage: ["doing"] }, changes: { stage: "draft" } },
  submit: { from: { status: ["open"], stage: ["doing"] }, changes: { stage: "review" } },
  request_changes: { from: { status: ["open"], stage: ["review"] }, changes: { stage: "doing" } },
  accept: { from: { status: ["open"], stage: ["review"] }, changes: closed("implemented") },
  cancel: { from: { status: ["open"], stage: anyStage }, changes: closed("cancelled") },
  wontfix: { from: { status: ["open"], stage: anyStage }, changes: closed("wontfix") },
  duplicate: { from: { status: ["open"], stage: anyStage }, changes: closed("duplicate") },
  push: {
    from: { status: ["open"], stage: ["draft", "doing", "freezed"] },
    changes: { status: "backlog", stage: "freezed" },
  },
  pull: { from: { status: ["backlog"], stage: anyStage }, changes: { status: "open", stage: "draft" } },
  reopen: {
    from: { status: ["closed"], stage: anyStage },
    changes: { status: "open", stage: "draft", solution: undefined, closed_at: undefined },
  },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof transitions;

/** The command that takes each step, without the id. */
const commands: Record<TransitionName, string> = {
  start: "monoco issue start",
  stop: "monoco issue stop",
  submit: "monoco issue submit",
  request_changes: "monoco issue review",
  accept: "monoco issue review",
  cancel: "monoco issue cancel",
  wontfix: "monoco issue close --solution wontfix",
  duplicate: "monoco issue close --solution duplicate",
  push: "monoco issue push",
  pull: "monoco issue pull",
  reopen: "monoco issue reopen",
};

/** The changes of a step that is legal now; an illegal one is refused with what is legal, and the command for it. */
export function transition(issue: Issue, name: TransitionName): FrontMatterChanges {
  const legal = legalTransitions(issue);
  if (legal.includes(name)) return transitions[name].changes;
  const ways = legal.map(
    (way) => `${way} (\`${commands[way].replace(/^(\S+ \S+ \S+)/, `$1 ${issue.id}`)}\`)`,
  );
  throw new MonocoError("input", `${issue.id} is ${issue.status}, ${issue.stage}: ${name} is not possible`, {
    hint: `legal now: ${ways.join(", ")}`,
  });
}

export function legalTransitions(issue: Pick<Issue, "status" | "stage">): TransitionName[] {
  const table: Record<TransitionName, Transition> = transitions;
  const isLegal = ({ from }: Transition): boolean =>
    from.status.includes(issue.status) && from.stage.includes(issue.stage);
  return transitionNames.filter((name) => isLegal(table[name]));
}

const transitionNames: readonly TransitionName[] = [
  "start",
  "stop",
  "submit",
  "request_changes",
  "accept",
  "cancel",
  "wontfix",
  "duplicate",
  "push",
  "pull",
  "reopen",
];
