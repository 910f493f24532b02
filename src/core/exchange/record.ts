/** Turns JSON records into items: the field names of each form, and their allowed values. */
import { z } from "zod";
import { faultError } from "../error/fault.ts";
import type { Fault } from "../error/fault.ts";
import { link, linked, withoutLooseEnds } from "./beads.ts";
import { criteriaIn } from "./criteria.ts";
import { importedLine, importedTask, importedTitle, importedWord } from "./import-item.ts";
import { objectiveOf, remarkOn, tagsOf } from "./import-item.ts";
import type { ImportItem, Reading } from "./import-item.ts";
import { itemKeys } from "./item-keys.ts";
import { isPriority, priorityIn } from "../issue/priority.ts";
import type { IssueType, Solution } from "../issue/vocabulary.ts";
import type { CheckState } from "../text/list-item.ts";
import { oneLine } from "../text/one-line.ts";
import { isRecord } from "../text/record.ts";
import { t, translatable, translated } from "../language/translate.ts";

const name = z.union([z.string(), z.number()]).transform(String);
/** A list entry: GitHub's labels are objects with a name. */
const entry = z.union([name, z.looseObject({ name: z.string() }).transform((label) => label.name)]);

/** A technical task: Task Master's subtasks are objects with a title, a status and texts. */
const task = z.union([
  entry.transform((title) => ({ title, status: "", description: "", details: "" })),
  z.looseObject({
    title: z.string(),
    status: z.string().catch(""),
    description: z.string().catch(""),
    details: z.string().catch(""),
  }),
]);

const word = { schema: name, hint: translatable("a word or a number") };
const text = { schema: z.string(), hint: translatable("a text") };
const textsHint = translatable("a list of texts");
const texts = { schema: z.array(entry), hint: textsHint };
const yes = { schema: z.boolean(), hint: translatable("true or false") };

/** The fields by their names in JSON Lines. */
const fields = {
  id: word,
  title: text,
  description: text,
  details: text,
  design: text,
  notes: text,
  criteria: { schema: z.union([z.array(entry), z.string().transform(criteriaIn)]), hint: textsHint },
  tasks: { schema: z.array(task), hint: textsHint },
  priority: word,
  tags: texts,
  dependencies: { schema: z.array(link), hint: translatable("a list of ids") },
  // GitHub's type is an object with a name.
  type: { schema: entry, hint: translatable("a text") },
  status: text,
  reason: text,
  passes: yes,
} as const;
type Fields = { [Name in keyof typeof fields]?: z.output<(typeof fields)[Name]["schema"]> };

export type Form = "lines" | "prd" | "taskMaster" | "beads" | "github";

/** The names of these fields in the other forms. */
const otherNames: Readonly<Record<Form, Readonly<Record<string, string>>>> = {
  lines: {},
  prd: { criteria: "acceptanceCriteria" },
  taskMaster: { criteria: "testStrategy", tasks: "subtasks" },
  beads: { criteria: "acceptance_criteria", tags: "labels", type: "issue_type" },
  github: { id: "number", description: "body", tags: "labels", status: "state", reason: "stateReason" },
};

/** The form of a record in a list that may hold any, by fields that only this form has. */
function formOf(record: unknown): Form {
  if (!isRecord(record)) return "lines";
  if ("issue_type" in record || "acceptance_criteria" in record) return "beads";
  if ("testStrategy" in record || "subtasks" in record) return "taskMaster";
  if ("acceptanceCriteria" in record) return "prd";
  return "body" in record || ("number" in record && !("id" in record)) ? "github" : "lines";
}

/** A record and its line. */
export type Placed = { record: unknown; line: number };

/** The items of all records; without a `form`, each record shows its own. Throws `input` with the line of the first fault. */
export function readRecords(
  records: readonly Placed[],
  { form, file }: { form?: Form; file: string },
): Reading {
  const unknown = new Set<string>();
  const work = records.filter(({ record }) => !isPull(record) && !isGone(record));
  const forms = work.map(({ record }) => form ?? formOf(record));
  const items = work.map(({ record, line }, index) => {
    const read = itemOfRecord(record, line, forms[index]!);
    if ("fault" in read) throw faultError(read.fault, file);
    for (const key of read.unknown) unknown.add(importedWord(key));
    return read.item;
  });
  const { items: tied, dropped } = forms.includes("beads") ? withoutLooseEnds(items) : { items, dropped: [] };
  const keyed = itemKeys(tied);
  if ("fault" in keyed) throw faultError(keyed.fault, file);
  const pulls = records.flatMap(({ record }) => (isPull(record) ? [record["number"]] : []));
  const remarks = [
    ...remarkOn([...unknown], (names) => t`passed over: ${names}`),
    ...remarkOn(pulls, (numbers) => t`passed over, being pull requests: ${numbers}`),
    ...remarkOn(dropped, (links) => t`dependencies passed over, as beads does: ${links}`),
  ];
  return { items: keyed.items, remarks };
}

/** Pull requests are issues in GitHub's REST API. */
function isPull(record: unknown): record is Record<string, unknown> {
  if (!isRecord(record)) return false;
  const address = record["html_url"] ?? record["url"];
  return isRecord(record["pull_request"]) || (typeof address === "string" && /\/pull\/\d+$/.test(address));
}

/** Whether beads has deleted the record, or uses it for something else than an issue. */
function isGone(record: unknown): boolean {
  if (!isRecord(record)) return false;
  const { _type: kind = "issue", status } = record;
  return kind !== "issue" || status === "tombstone";
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
  const spelt = form === "github" ? asGhSpells(record) : record;
  const given = new Map(Object.entries(spelt).filter(([, value]) => value !== null && value !== undefined));
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
  const known = new Set(Object.keys(fields).map(nameOf));
  // GitHub has dozens of fields that say nothing of the work.
  const unknown = form === "github" ? [] : [...given.keys()].filter((key) => !known.has(key));
  if (values.priority !== undefined && importedPriority(values.priority) === undefined)
    unknown.push("priority");
  return { item: itemOf(values, line, form), unknown };
}

/** A record of the REST API in the names that `gh` uses. */
function asGhSpells(record: Record<string, unknown>): Record<string, unknown> {
  const { id, number = id, state_reason: reason, stateReason = reason } = record;
  return { ...record, number, stateReason };
}

/** The priority as an issue may have it; undefined if the word names none. */
function importedPriority(word = ""): string | undefined {
  return isPriority(word) ? word : priorityIn(word);
}

function itemOf(values: Fields, line: number, form: Form): ImportItem {
  const { id = "", title = "", description = "", details = "", tags = [], tasks = [] } = values;
  const priority = [importedPriority(values.priority), ...tags.map(priorityIn)].find(Boolean);
  const done = solutionOf(values);
  const { parent, dependencies } = linked(values.dependencies ?? []);
  // In Task Master, 5.2 is a subtask of 5.
  const whole = (key: string): string => (form === "taskMaster" ? key.replace(/\..*$/, "") : key);
  const needs = dependencies.map((key) => importedWord(whole(key))).filter((key) => key !== "");
  return {
    key: importedWord(id),
    line,
    type: typeOf([values.type ?? ""]) ?? typeOf(tags) ?? "feature",
    title: importedTitle(title),
    objective: objectiveOf(title, [
      description,
      details,
      called("Design", values.design),
      called("Notes", values.notes),
      ...tasks.map(detailsOf),
    ]),
    criteria: (values.criteria ?? []).map(importedLine).filter((one) => one !== ""),
    tasks: tasks.flatMap((task) => importedTask(task.title, stateOf(task.status))),
    ...(priority !== undefined && { priority }),
    tags: tagsOf(tags),
    dependencies: [...new Set(needs)].filter((key) => form !== "taskMaster" || key !== id),
    ...(parent !== undefined && { parent: importedWord(parent) }),
    ...(done ? { done } : values.status === "deferred" && { frozen: true as const }),
  };
}

function called(name: string, text = ""): string {
  const words = text.trim();
  // A heading or a list begins on a line of its own.
  return words === "" ? "" : `${name}:${/^[#*\-\d]/.test(words) ? "\n\n" : " "}${words}`;
}

/** The texts of an open technical task that do not fit on its line. */
function detailsOf({ title, status, description, details }: z.output<typeof task>): string {
  const texts = [description, details].filter((one) => one.trim() !== "");
  const isOpen = stateOf(status) === "todo" || stateOf(status) === "doing";
  return isOpen && texts.length > 0 ? [`### ${oneLine(title)}`, ...texts].join("\n\n") : "";
}

const typeWords: readonly (readonly [IssueType, readonly string[]])[] = [
  ["fix", ["bug", "fix", "bugfix", "type: bug"]],
  ["epic", ["epic"]],
  ["chore", ["chore"]],
  ["feature", ["feature", "task", "story"]],
];

function typeOf(labels: readonly string[]): IssueType | undefined {
  const words = labels.map((word) => word.toLowerCase());
  return typeWords.find(([, names]) => words.some((word) => names.includes(word)))?.[0];
}

/** The words of GitHub, Task Master and beads for items that have ended. */
const endings: ReadonlyMap<string, Solution> = new Map([
  ["done", "implemented"],
  ["completed", "implemented"],
  ["closed", "implemented"],
  ["cancelled", "cancelled"],
  ["not_planned", "wontfix"],
  ["duplicate", "duplicate"],
]);

function solutionOf({ passes, status = "", reason = "" }: Fields): Solution | undefined {
  if (passes) return "implemented";
  return endings.get(reason.toLowerCase()) ?? endings.get(status.toLowerCase());
}

function stateOf(status: string): CheckState {
  const solution = solutionOf({ status });
  if (solution === undefined) return /^in[-_]progress$/.test(status) ? "doing" : "todo";
  return solution === "cancelled" ? "cancelled" : "done";
}
