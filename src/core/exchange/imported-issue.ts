/** Writes an imported item as an issue's file that reads back as the item, whatever its source contained. */
import { MonocoError } from "../error/error.ts";
import { yamlScalar } from "../text/front-matter-edit.ts";
import type { ImportItem, ImportTask } from "./import-item.ts";
import { issueHeadings } from "../issue/document.ts";
import { parseIssue } from "../issue/issue.ts";
import { checkMarks } from "../text/list-item.ts";
import type { Language } from "../language/handoff-words.ts";
import { t } from "../language/translate.ts";

/** The fields of the file that are not in the item. `hash` shows later whether the source or the file has changed. */
export interface Imported {
  id: string;
  source: string;
  createdAt: string;
  updatedAt: string;
  parent?: string | undefined;
  /** Ids of issues. */
  dependencies: readonly string[];
  language: Language;
  hash(text: string): string;
}

export const sourceKey = "source";
export const sourceHashKey = "source_hash";

/** The file's text. The objective is kept as written, unless it would begin a section or swallow one. */
export function importedIssue(item: ImportItem, as: Imported): string {
  const text = [(objective: string) => objective, withLowerHeadings, quoted]
    .map((write) => write(item.objective))
    .map((objective) => ({ objective, written: issueText(item, as, objective) }))
    .find(({ objective, written }) => readsBack(written, { ...item, objective }))?.written;
  if (text !== undefined)
    return text.replace(`${sourceHashKey}: \n`, `${sourceHashKey}: ${hashesOf(item, as, text)}\n`);
  throw new MonocoError("input", t`${as.source}: "${item.title}" cannot be written as an issue`, {
    hint: t`put it in simpler words there`,
  });
}

/** `CONTENT-FILE`: a hash of the source's fields, and one of the file as written. */
function hashesOf(item: ImportItem, as: Imported, text: string): string {
  return `${contentHash(item, as)}-${as.hash(unhashed(text))}`;
}

/** The hash of everything that the source says of an item but how far it is. */
export function contentHash(item: ImportItem, as: Pick<Imported, "dependencies" | "hash">): string {
  const { type, title, objective, criteria, priority = "", tags, branch = "", parent } = item;
  const tasks = item.tasks.map(({ text }) => text);
  const fields = [type, title, objective, criteria, tasks, priority, tags, branch, as.dependencies];
  return as.hash(JSON.stringify(parent === undefined ? fields : [...fields, parent]));
}

/** The file as it was written: without the line of hashes, and with its line ends normalised. */
function unhashed(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(new RegExp(`^${sourceHashKey}:.*\n`, "m"), "");
}

/** Whether a file is still exactly as an import wrote it. */
export function isUntouched(text: string, hashes: string, hash: Imported["hash"]): boolean {
  return hashes.split("-")[1] === hash(unhashed(text));
}

function issueText(item: ImportItem, as: Imported, objective: string): string {
  const { language } = as;
  const boxes = (tasks: readonly ImportTask[]): string => tasks.map((task) => `- ${boxOf(task)}\n`).join("");
  const section = (name: keyof typeof issueHeadings, content: string): string =>
    `\n## ${issueHeadings[name][language]}\n${content === "" ? "" : `\n${content}`}`;
  return [
    `---\n${frontMatter(item, as)}---\n\n# ${item.title}\n`,
    section("objective", `${objective.trimEnd()}\n`),
    section("criteria", boxes(item.criteria.map((text) => ({ text, state: "todo" })))),
    section("tasks", boxes(item.tasks)),
    section("reviewComments", ""),
  ].join("");
}

function boxOf({ text, state }: ImportTask): string {
  return `[${checkMarks[state]}] ${text}`;
}

function frontMatter(item: ImportItem, as: Imported): string {
  const { id, parent, createdAt, updatedAt, source, dependencies } = as;
  const lines: (readonly [string, string | undefined])[] = [
    ["id", id],
    ["type", item.type],
    ["title", yamlScalar(item.title)],
    ["status", item.done ? "closed" : item.frozen ? "backlog" : "open"],
    ["stage", item.done ? "done" : item.frozen ? "freezed" : "draft"],
    ["solution", item.done],
    ["priority", item.priority === undefined ? undefined : yamlScalar(item.priority)],
    ["parent", parent],
    ["created_at", yamlScalar(createdAt)],
    ["updated_at", yamlScalar(updatedAt)],
    ["closed_at", item.done ? yamlScalar(updatedAt) : undefined],
    ["dependencies", listed(dependencies)],
    ["related", "[]"],
    ["tags", listed(item.tags)],
    ["checks", "[]"],
    ["branch", item.branch === undefined ? undefined : yamlScalar(item.branch)],
    [sourceKey, yamlScalar(source)],
    [sourceHashKey, ""],
  ];
  return lines.map(([key, value]) => (value === undefined ? "" : `${key}: ${value}\n`)).join("");
}

function listed(values: readonly string[]): string {
  return `[${values.map((word) => JSON.stringify(word)).join(", ")}]`;
}

function readsBack(text: string, item: ImportItem): boolean {
  const issue = parseIssue(text, "issue");
  const boxes = (some: readonly ImportTask[]): string => JSON.stringify(some.map(boxOf));
  return (
    issue.title === item.title &&
    issue.objective.trim() === item.objective.trim() &&
    JSON.stringify(issue.criteria.map(({ text }) => text)) === JSON.stringify(item.criteria) &&
    boxes(issue.tasks) === boxes(item.tasks) &&
    issue.reviewComments === ""
  );
}

/** Headings of levels 1 and 2 would begin parts of an issue: they become levels 3 and 4. Code is left alone. */
function withLowerHeadings(text: string): string {
  let fence: string | undefined;
  return text
    .split("\n")
    .map((line) => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence === undefined && mark) fence = mark;
      else if (fence !== undefined && mark?.startsWith(fence)) fence = undefined;
      return fence === undefined ? line.replace(/^( {0,3})(#{1,2})(?=[ \t]|$)/, "$1##$2") : line;
    })
    .join("\n");
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}
