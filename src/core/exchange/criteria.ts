/** Finds acceptance criteria and tasks in the Markdown of a description, and the criteria in a text that holds nothing else. */
import { importedLine, importedTask, importedText, objectiveOf } from "./import-item.ts";
import type { ImportItem } from "./import-item.ts";
import { countingItems } from "../issue/document.ts";
import { hasBox } from "../text/list-item.ts";
import type { ListItem } from "../text/list-item.ts";
import { outline } from "../text/markdown.ts";
import type { OutlineEntry } from "../text/markdown.ts";

/** A line that leads to a list. */
const leadsOn = /[:：]\**\s*$/;

/** The criteria of a text: its list entries, and its other lines but those that lead to a list. */
export function criteriaIn(text: string): string[] {
  // A shell turns no \\n into a line's end: many texts of beads come from one.
  const lines = text.includes("\n") ? text : text.replace(/\\n(?=\s*(?:[-*]|\d+[.)])\s)/g, "\n");
  return outline(lines).flatMap((entry) => {
    if (entry.kind === "item") return [entry.item.text];
    if (entry.kind === "heading" || /^(?:`{3}|~{3})/.test(entry.text)) return [];
    return entry.text.split("\n").filter((line) => !leadsOn.test(line));
  });
}

const criteriaHeading =
  /^[\W\d_]*(?:(?:acceptance|success|exit) criteria|acceptance(?: scenarios)?\W*$|definition of done|done when)|验收(?:标准|场景)|受け入れ(?:基準|シナリオ)|(?:수용|인수) (?:기준|시나리오)|(?:criterios|escenarios) de aceptación|(?:critérios|cenários) de aceitação/iu;
const tasksHeading =
  /^[\W\d_]*(?:technical tasks|tasks|to-?dos?|checklist|subtasks)\W*(?:\(.*)?$|技术任务|任务/iu;

/** A part of a description below a heading, in its entries. */
type Part = {
  kind: "criteria" | "tasks" | undefined;
  depth: number;
  heads: number[];
  items: number[];
  texts: number;
};

/** The item, with criteria and tasks taken from its description where it has none of its own. */
export function withSections(item: ImportItem): ImportItem {
  const entries = outline(item.objective);
  const parts = partsOf(entries).filter(
    ({ kind, items }) => kind !== undefined && item[kind].length === 0 && items.length > 0,
  );
  for (const part of parts) {
    const boxed = part.items.filter((at) => listItem(entries[at]!).some(hasBox));
    if (boxed.length === 0 || boxed.length === part.items.length) continue;
    part.items = boxed;
    part.texts++;
  }
  if (parts.length === 0) return item;
  const itemsIn = (kind: Part["kind"]): ListItem[] =>
    parts
      .filter((part) => part.kind === kind)
      .flatMap((part) => countingItems(part.items.flatMap((at) => listItem(entries[at]!))));
  // A heading stays with what is below it and is neither a criterion nor a task.
  const taken = new Set(
    parts.flatMap(({ heads, items, texts }) => (texts > 0 ? items : [...heads, ...items])),
  );
  const lines = item.objective.split("\n");
  const runs = [lines.slice(0, (entries[0]?.line ?? 1) - 1)];
  for (const [at, { line }] of entries.entries()) {
    if (taken.has(at)) runs.push([]);
    else runs.at(-1)!.push(...lines.slice(line - 1, (entries[at + 1]?.line ?? Infinity) - 1));
  }
  const texts = runs.map((run) => run.join("\n").replace(/^\n+/, "").trimEnd());
  const rest = importedText(texts.filter((text) => text !== "").join("\n\n"));
  const criteria = itemsIn("criteria").map(({ ownText }) => importedLine(ownText));
  return {
    ...item,
    objective: rest === "" ? objectiveOf(item.title, []) : rest,
    criteria: [...item.criteria, ...criteria.filter((text) => text !== "")],
    tasks: [...item.tasks, ...itemsIn("tasks").flatMap((one) => importedTask(one.ownText, one.state))],
  };
}

function listItem(entry: OutlineEntry): ListItem[] {
  return entry.kind === "item" ? [entry.item] : [];
}

/** A deeper heading continues the part of criteria or tasks that it is in; a text after its list ends it. */
function partsOf(entries: readonly OutlineEntry[]): Part[] {
  const parts: Part[] = [{ kind: undefined, depth: 0, heads: [], items: [], texts: 0 }];
  for (const [at, entry] of entries.entries()) {
    const part = parts.at(-1)!;
    const heading = headingOf(entry);
    if (heading) {
      const kind = kindOf(heading.text);
      const isWithin = part.kind !== undefined && kind === undefined && heading.depth > part.depth;
      if (isWithin) part.heads.push(at);
      else parts.push({ kind, depth: heading.depth, heads: [at], items: [], texts: 0 });
    } else if (entry.kind === "item") part.items.push(at);
    else if (part.items.length === 0 || leadsOn.test(entry.text)) part.texts++;
    else parts.push({ kind: undefined, depth: part.depth, heads: [], items: [], texts: 0 });
  }
  return parts;
}

/** A heading, or what people write for one: a line in bold, or one that names criteria or tasks and ends with a colon. */
function headingOf(entry: OutlineEntry): { depth: number; text: string } | undefined {
  if (entry.kind === "heading") return entry;
  if (entry.kind === "item") return undefined;
  const text =
    /^\*\*([^*\n]+)\*\*[:：]?\s*$/.exec(entry.text)?.[1] ?? /^(.{3,40})[:：]\s*$/.exec(entry.text)?.[1];
  const isBold = entry.text.startsWith("**");
  return text !== undefined && (isBold || kindOf(text)) ? { depth: 7, text } : undefined;
}

function kindOf(heading: string): Part["kind"] {
  if (criteriaHeading.test(heading)) return "criteria";
  return tasksHeading.test(heading) ? "tasks" : undefined;
}
