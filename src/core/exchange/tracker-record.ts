/** One record of any tracker (a story, a feature, a ticket) to an item: the names that such fields have, and their possible values. */
import { z } from "zod";
import type { Fault } from "../error/fault.ts";
import { importedLine, importedTitle, importedWord, objectiveOf } from "./import-item.ts";
import type { ImportItem } from "./import-item.ts";
import { isPriority } from "../issue/priority.ts";
import { slugOf } from "../issue/name.ts";
import type { IssueType, Solution } from "../issue/vocabulary.ts";
import { priorityIn } from "../issue/priority.ts";
import { isRecord } from "../text/record.ts";
import { t, translatable, translated } from "../language/translate.ts";

const name = z.union([z.string(), z.number()]).transform(String);
const entry = z.union([
  name,
  z.looseObject({}).transform((object, context) => {
    const words = ["text", "criterion", "title", "name", "description", "id"].map((key) => object[key]);
    const found = words.find((word) => typeof word === "string" || typeof word === "number");
    if (found === undefined) context.addIssue({ code: "custom" });
    return String(found);
  }),
]);
const list = z.union([
  z.string().transform((text) => text.split("\n").filter((line) => line.trim() !== "")),
  z.array(entry),
]);

/** The names of each field; the first that is present counts. */
const fields = {
  id: {
    names: ["id", "key", "number", "identifier"],
    schema: name,
    hint: translatable("a word or a number"),
  },
  title: { names: ["title", "name", "summary"], schema: z.string(), hint: translatable("a text") },
  description: {
    names: ["description", "story", "userStory", "user_story", "body", "objective", "user_visible_behavior"],
    schema: z.string(),
    hint: translatable("a text"),
  },
  criteria: {
    names: ["acceptanceCriteria", "acceptance_criteria", "acceptance", "criteria", "successCriteria"],
    schema: list,
    hint: translatable("a list of texts"),
  },
  steps: { names: ["steps", "verification"], schema: list, hint: translatable("a list of texts") },
  tasks: {
    names: ["tasks", "subtasks", "technicalTasks", "technical_tasks"],
    schema: list,
    hint: translatable("a list of texts"),
  },
  notes: { names: ["notes", "note"], schema: list, hint: translatable("a text") },
  priority: { names: ["priority"], schema: name, hint: translatable("a word or a number") },
  tags: { names: ["tags", "labels"], schema: list, hint: translatable("a list of words") },
  category: { names: ["category"], schema: name, hint: translatable("a word") },
  dependencies: {
    names: ["dependencies", "dependsOn", "depends_on", "blockedBy", "blocked_by"],
    schema: list,
    hint: translatable("a list of ids"),
  },
  type: { names: ["type", "kind"], schema: z.string(), hint: translatable("feature, fix, chore or epic") },
  passes: {
    names: ["passes", "done", "completed", "complete"],
    schema: z.union([z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")]),
    hint: translatable("true or false"),
  },
  status: { names: ["status", "state"], schema: z.string(), hint: translatable("a word") },
  reason: { names: ["stateReason", "state_reason"], schema: z.string(), hint: translatable("a word") },
} as const;
type Fields = { [Field in keyof typeof fields]?: z.output<(typeof fields)[Field]["schema"]> };

/** Told by trackers about themselves, and nothing that an issue should hold. */
const passedOver = new Set(["url", "source", "created_at", "updated_at", "createdAt", "updatedAt"]);

/** The item of a record that stands on `line`, its key `""` where it names none; and the names of what was passed over. */
export function itemOfRecord(
  record: unknown,
  line: number,
): { item: ImportItem; unknown: string[] } | { fault: Fault } {
  if (!isRecord(record)) {
    const shown = JSON.stringify(record)?.slice(0, 40) ?? t`nothing`;
    return {
      fault: {
        line,
        message: t`${shown} is no item`,
        hint: t`an item is an object: {"id": "US-001", "title": "…"}`,
      },
    };
  }
  const given = new Map(Object.entries(record));
  const values: Fields = {};
  const used = new Set<string>();
  for (const [field, { names, schema, hint }] of Object.entries(fields)) {
    const used1 = names.find((known) => given.has(known) && given.get(known) !== null);
    if (used1 === undefined) continue;
    used.add(used1);
    const parsed = schema.safeParse(given.get(used1));
    if (!parsed.success) {
      const shown = JSON.stringify(given.get(used1))?.slice(0, 60);
      return {
        fault: { line, message: t`${called(given)}${used1} cannot be ${shown}`, hint: translated(hint) },
      };
    }
    Object.assign(values, { [field]: parsed.data });
  }
  const unknown = [...given.keys()].filter(
    (key) => !used.has(key) && !passedOver.has(key) && given.get(key) !== null,
  );
  const told = values.title ?? values.description?.split("\n").find((text) => text.trim() !== "") ?? "";
  if (importedTitle(told) === "") {
    const hint = t`give it a "title" (or a "description", whose first line is taken)`;
    return { fault: { line, message: t`${called(given)}it has no title`, hint } };
  }
  if (values.priority !== undefined && importedPriority(values.priority) === undefined)
    unknown.push("priority");
  return { item: itemOf(values, told, line), unknown };
}

/** As an issue may have it; undefined for a word that names no priority. */
function importedPriority(word = ""): string | undefined {
  return isPriority(word) ? word : priorityIn(word);
}

function called(given: ReadonlyMap<string, unknown>): string {
  const id = ["id", "key", "number"].map((key) => given.get(key)).find((value) => value !== undefined);
  return typeof id === "string" || typeof id === "number" ? `${importedWord(String(id))}: ` : "";
}

function itemOf(values: Fields, title: string, line: number): ImportItem {
  const tags = [...(values.category === undefined ? [] : [values.category]), ...(values.tags ?? [])];
  const priority = [importedPriority(values.priority), ...tags.map(priorityIn)].find(Boolean);
  const notes = (values.notes ?? []).join("\n").trim();
  // Feature lists have steps for what the others call criteria; beside criteria they are the plan.
  const criteria = values.criteria ?? values.steps ?? [];
  const tasks = [...(values.tasks ?? []), ...(values.criteria ? (values.steps ?? []) : [])];
  const done = solutionOf(values);
  return {
    key: importedWord(values.id ?? ""),
    line,
    type: typeOf(values.type, tags),
    title: importedTitle(title),
    objective: objectiveOf(title, [
      values.title === undefined ? withoutFirst(values.description) : (values.description ?? ""),
      notes === "" ? "" : `Notes: ${notes}`,
    ]),
    criteria: criteria.map(importedLine).filter((text) => text !== ""),
    tasks: tasks.map(importedLine).filter((text) => text !== ""),
    ...(priority !== undefined && { priority }),
    tags: tagsOf(tags),
    dependencies: (values.dependencies ?? []).map(importedWord).filter((key) => key !== ""),
    ...(done && { done }),
  };
}

/** The description of an item whose title is its first line. */
function withoutFirst(description = ""): string {
  const [, ...rest] = description.trim().split("\n");
  return rest.join("\n");
}

/** Tags are words: letters, digits and dashes. */
export function tagsOf(words: readonly string[]): string[] {
  const slugs = words.filter((word) => /[\p{L}\p{N}]/u.test(word)).map(slugOf);
  return [...new Set(slugs)];
}

function typeOf(told = "", tags: readonly string[] = []): IssueType {
  const words = [told, ...tags].map((word) => word.toLowerCase());
  if (words.some((word) => ["bug", "fix", "bugfix", "defect", "type: bug"].includes(word))) return "fix";
  if (words.includes("epic")) return "epic";
  return words.includes("chore") || words.includes("maintenance") ? "chore" : "feature";
}

function solutionOf({ passes, status = "", reason = "" }: Fields): Solution | undefined {
  const word = status.toLowerCase().replace(/[\s_-]+/g, "");
  const why = reason.toLowerCase().replace(/[\s_-]+/g, "");
  if (word === "duplicate" || why === "duplicate") return "duplicate";
  if (word === "wontfix" || why === "notplanned") return "wontfix";
  if (word === "cancelled" || word === "canceled") return "cancelled";
  const ended = [
    "done",
    "complete",
    "completed",
    "pass",
    "passed",
    "passing",
    "closed",
    "implemented",
    "merged",
    "resolved",
  ];
  return passes === true || ended.includes(word) ? "implemented" : undefined;
}
