/** Turns JSON records into items: the field names of each form, and their allowed values. */
import { z } from "zod";
import { faultError } from "../error/fault.ts";
import type { Fault } from "../error/fault.ts";
import { importedLine, importedTitle, importedWord, objectiveOf, tagsOf } from "./import-item.ts";
import type { ImportItem, Reading } from "./import-item.ts";
import { itemKeys } from "./item-keys.ts";
import { isPriority, priorityIn } from "../issue/priority.ts";
import type { IssueType, Solution } from "../issue/vocabulary.ts";
import { isRecord } from "../text/record.ts";
import { t, translatable, translated } from "../language/translate.ts";

const name = z.union([z.string(), z.number()]).transform(String);
/** A list entry: GitHub's labels are objects with a name, Task Master's subtasks objects with a title. */
const entry = z.union([
  name,
  z.looseObject({ name: z.string() }).transform((label) => label.name),
  z.looseObject({ title: z.string() }).transform((task) => task.title),
]);

const word = { schema: name, hint: translatable("a word or a number") };
const text = { schema: z.string(), hint: translatable("a text") };
const texts = { schema: z.array(entry), hint: translatable("a list of texts") };
const yes = { schema: z.boolean(), hint: translatable("true or false") };

/** The fields by their names in JSON Lines. */
const fields = {
  id: word,
  title: text,
  description: text,
  notes: text,
  criteria: texts,
  tasks: texts,
  priority: word,
  tags: texts,
  dependencies: texts,
  type: text,
  status: text,
  reason: text,
  passes: yes,
} as const;
type Fields = { [Name in keyof typeof fields]?: z.output<(typeof fields)[Name]["schema"]> };

export type Form = "lines" | "prd" | "taskMaster" | "github";

/** The names of these fields in the other forms. */
const otherNames: Readonly<Record<Form, Readonly<Record<string, string>>>> = {
  lines: {},
  prd: { criteria: "acceptanceCriteria" },
  taskMaster: { tasks: "subtasks" },
  github: { id: "number", description: "body", tags: "labels", status: "state", reason: "stateReason" },
};

/** The items of all records; `lines` are their lines. Throws `input` with the line of the first fault. */
export function readRecords(
  records: readonly { record: unknown; line: number }[],
  { form, file }: { form: Form; file: string },
): Reading {
  const unknown = new Set<string>();
  const items = records.map(({ record, line }) => {
    const read = itemOfRecord(record, line, form);
    if ("fault" in read) throw faultError(read.fault, file);
    for (const key of read.unknown) unknown.add(importedWord(key));
    return read.item;
  });
  const keyed = itemKeys(items);
  if ("fault" in keyed) throw faultError(keyed.fault, file);
  return {
    items: keyed.items,
    remarks: unknown.size === 0 ? [] : [t`passed over: ${[...unknown].join(", ")}`],
  };
}

/** The item, and the names of the fields that were skipped. */
function itemOfRecord(
  record: unknown,
  line: number,
  form: Form,
): { item: ImportItem; unknown: string[] } | { fault: Fault } {
  const wrong = (message: string, hint: string): { fault: Fault } => ({ fault: { line, message, hint } });
  if (!isRecord(record)) {
    const shown = JSON.stringify(record)?.slice(0, 40) ?? t`nothing`;
    return wrong(t`${shown} is no item`, t`an item is an object: {"id": "US-001", "title": "…"}`);
  }
  const nameOf = (field: string): string => otherNames[form][field] ?? field;
  const given = new Map(Object.entries(record).filter(([, value]) => value !== null));
  const values: Fields = {};
  const id = name.safeParse(given.get(nameOf("id"))).data ?? "";
  const called = id === "" ? "" : `${importedWord(id)}: `;
  for (const [field, { schema, hint }] of Object.entries(fields)) {
    const key = nameOf(field);
    const value = given.get(key);
    if (value === undefined) continue;
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      const shown = JSON.stringify(value)?.slice(0, 60);
      return wrong(t`${called}${key} cannot be ${shown}`, translated(hint));
    }
    Object.assign(values, { [field]: parsed.data });
  }
  if (importedWord(id) === "")
    return wrong(t`it has no ${nameOf("id")}`, t`without one the next import could not know it again`);
  if (importedTitle(values.title ?? "") === "")
    return wrong(t`${called}it has no title`, t`give it a "title"`);
  const keys = new Set(Object.keys(fields).map(nameOf));
  const unknown = [...given.keys()].filter((key) => !keys.has(key));
  if (values.priority !== undefined && importedPriority(values.priority) === undefined)
    unknown.push("priority");
  return { item: itemOf(values, line), unknown };
}

/** The priority as an issue may have it; undefined if the word names none. */
function importedPriority(word = ""): string | undefined {
  return isPriority(word) ? word : priorityIn(word);
}

function itemOf(values: Fields, line: number): ImportItem {
  const { id = "", title = "", description = "", notes = "", tags = [] } = values;
  const lines = (some: readonly string[] = []): string[] =>
    some.map(importedLine).filter((one) => one !== "");
  const priority = [importedPriority(values.priority), ...tags.map(priorityIn)].find(Boolean);
  const done = solutionOf(values);
  return {
    key: importedWord(id),
    line,
    type: typeOf([values.type ?? "", ...tags]),
    title: importedTitle(title),
    objective: objectiveOf(title, [description, notes.trim() === "" ? "" : `Notes: ${notes.trim()}`]),
    criteria: lines(values.criteria),
    tasks: lines(values.tasks),
    ...(priority !== undefined && { priority }),
    tags: tagsOf(tags),
    dependencies: (values.dependencies ?? []).map(importedWord).filter((key) => key !== ""),
    ...(done && { done }),
  };
}

function typeOf(labels: readonly string[]): IssueType {
  const lower = labels.map((word) => word.toLowerCase());
  if (lower.some((word) => ["bug", "fix", "bugfix", "type: bug"].includes(word))) return "fix";
  return lower.includes("epic") ? "epic" : lower.includes("chore") ? "chore" : "feature";
}

/** The words of GitHub and Task Master for items that have ended. */
const endings: ReadonlyMap<string, Solution> = new Map([
  ["done", "implemented"],
  ["closed", "implemented"],
  ["cancelled", "cancelled"],
  ["not_planned", "wontfix"],
  ["duplicate", "duplicate"],
]);

function solutionOf({ passes, status = "", reason = "" }: Fields): Solution | undefined {
  if (passes) return "implemented";
  return endings.get(reason.toLowerCase()) ?? endings.get(status.toLowerCase());
}
