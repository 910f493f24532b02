/** JSON lines from any tracker, and what `gh` prints of GitHub's issues, as items. */
import { getNodeValue } from "jsonc-parser";
import { faultError } from "../error/fault.ts";
import type { Fault } from "../error/fault.ts";
import { importedLine, importedText, importedWord, objectiveOf } from "./import-item.ts";
import type { ImportItem, Reading } from "./import-item.ts";
import { itemKeys } from "./item-keys.ts";
import { lineAt, parseJson } from "./json-places.ts";
import { sections } from "../text/markdown.ts";
import type { Section } from "../text/markdown.ts";
import { itemsOf } from "../issue/document.ts";
import { itemOfRecord } from "./tracker-record.ts";
import { t } from "../language/translate.ts";

/** One object a line, or one list of objects. Each needs an id. Throws `input` with the line of the first fault. */
export function readTrackerLines(text: string, file: string): Reading {
  const items: ImportItem[] = [];
  const unknown = new Set<string>();
  for (const { record, line } of recordsIn(text, file)) {
    const read = itemOfRecord(record, line);
    if ("fault" in read) throw faultError(read.fault, file);
    if (read.item.key === "") {
      const hint = t`give it an "id": without one the next import could not know it again`;
      throw faultError({ line, message: t`it has no id`, hint }, file);
    }
    items.push(withBody(read.item));
    for (const key of read.unknown) unknown.add(importedWord(key));
  }
  if (items.length === 0) throw faultError(nothing(), file);
  const keyed = itemKeys(items);
  if ("fault" in keyed) throw faultError(keyed.fault, file);
  const remarks = unknown.size === 0 ? [] : [t`passed over: ${[...unknown].join(", ")}`];
  return { items: keyed.items, remarks };
}

function nothing(): Fault {
  const hint = t`one object a line: ${'{"id": "T-1", "title": "…", "description": "…", "criteria": ["…"]}'}`;
  return { line: 1, message: t`nothing to import`, hint };
}

function recordsIn(text: string, file: string): { record: unknown; line: number }[] {
  const whole = /^\uFEFF?\s*\[/.test(text) ? parseJson(text) : undefined;
  if (whole) {
    if ("fault" in whole) throw faultError(whole.fault, file);
    return (whole.root.children ?? []).map((node) => ({
      record: getNodeValue(node) as unknown,
      line: lineAt(text, node.offset),
    }));
  }
  return text.split("\n").flatMap((source, index) => {
    if (source.trim() === "" || source === "\uFEFF") return [];
    const parsed = parseJson(source);
    if ("fault" in parsed) throw faultError({ ...parsed.fault, line: index + 1 }, file);
    return [{ record: getNodeValue(parsed.root) as unknown, line: index + 1 }];
  });
}

const criteriaHeading = /^(?:acceptance(?: criteria)?|definition of done|done when|验收标准)/iu;
const tasksHeading = /^(?:technical tasks|tasks|to-?do|checklist|subtasks|技术任务|任务)/iu;

/** A description in Markdown may have sections of its own for criteria and tasks. */
function withBody(item: ImportItem): ImportItem {
  const found = sections(item.objective);
  const chosen = (pattern: RegExp): Section | undefined =>
    found.find((section) => pattern.test(section.heading) && itemsOf(section).length > 0);
  const criteria = item.criteria.length > 0 ? undefined : chosen(criteriaHeading);
  const tasks = item.tasks.length > 0 ? undefined : chosen(tasksHeading);
  const taken = [criteria, tasks].filter((section) => section !== undefined);
  if (taken.length === 0) return item;
  // What such a section says beside its list stays in the objective.
  const rest = taken
    .toSorted((one, other) => other.startOffset - one.startOffset)
    .reduce(
      (text, section) =>
        text.slice(0, section.startOffset) + besideLists(section) + text.slice(section.endOffset),
      item.objective,
    );
  const texts = (section: Section | undefined): string[] =>
    section
      ? itemsOf(section)
          .map((entry) => importedLine(entry.ownText))
          .filter((text) => text !== "")
      : [];
  return {
    ...item,
    objective: importedText(rest) === "" ? objectiveOf(item.title, []) : importedText(rest),
    criteria: criteria ? texts(criteria) : item.criteria,
    tasks: tasks ? texts(tasks) : item.tasks,
  };
}

function besideLists(section: Section): string {
  if (section.blocks.every((block) => block.kind === "list")) return "";
  const words = section.blocks.flatMap((block) => (block.kind === "text" ? [block.source.trim()] : []));
  return words.length === 0 ? "" : `## ${section.heading}\n\n${words.join("\n\n")}\n\n`;
}
