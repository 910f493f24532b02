/** Reads JSON Lines, one object a line, and the criteria and tasks in the Markdown of their descriptions. */
import { getNodeValue } from "jsonc-parser";
import { faultError } from "../error/fault.ts";
import { importedLine, importedText, objectiveOf } from "./import-item.ts";
import type { ImportItem, Reading } from "./import-item.ts";
import { parseJson } from "./json-places.ts";
import { readRecords } from "./record.ts";
import { sections } from "../text/markdown.ts";
import type { Section } from "../text/markdown.ts";
import { itemsOf } from "../issue/document.ts";
import { t } from "../language/translate.ts";

const example = '{"id": "T-1", "title": "…", "description": "…", "criteria": ["…"]}';

/** Throws `input` with the line of the first fault. */
export function readJsonLines(text: string, file: string): Reading {
  const records = text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .flatMap((source, index) => {
      if (source.trim() === "") return [];
      const parsed = parseJson(source);
      if ("fault" in parsed) throw faultError({ ...parsed.fault, line: index + 1 }, file);
      return [{ record: getNodeValue(parsed.root) as unknown, line: index + 1 }];
    });
  if (records.length === 0)
    throw faultError(
      { line: 1, message: t`nothing to import`, hint: t`one object a line: ${example}` },
      file,
    );
  return withSections(readRecords(records, { form: "lines", file }));
}

/** The items, with criteria and tasks taken from the sections of their descriptions. */
export function withSections({ items, remarks }: Reading): Reading {
  return { items: items.map(withBody), remarks };
}

const criteriaHeading = /^(?:acceptance(?: criteria)?|definition of done|done when|验收标准)/iu;
const tasksHeading = /^(?:technical tasks|tasks|to-?do|checklist|subtasks|技术任务|任务)/iu;

function withBody(item: ImportItem): ImportItem {
  const bodySections = sections(item.objective);
  const chosen = (pattern: RegExp): Section | undefined =>
    bodySections.find((section) => pattern.test(section.heading) && itemsOf(section).length > 0);
  const criteria = item.criteria.length > 0 ? undefined : chosen(criteriaHeading);
  const tasks = item.tasks.length > 0 ? undefined : chosen(tasksHeading);
  const taken = [criteria, tasks].filter((section) => section !== undefined);
  if (taken.length === 0) return item;
  // Text of such a section outside its list stays in the objective.
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
  const texts = section.blocks.flatMap((block) => (block.kind === "text" ? [block.source.trim()] : []));
  return texts.length === 0 ? "" : `## ${section.heading}\n\n${texts.join("\n\n")}\n\n`;
}
