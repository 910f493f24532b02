/** An entry of a list in a work file, below its headings, and the item that it becomes. */
import { importedTask, importedText, importedTitle, objectiveOf, tagsOf } from "./import-item.ts";
import type { ImportItem, ImportTask } from "./import-item.ts";
import type { Place } from "./file-order.ts";
import { priorityIn } from "../issue/priority.ts";
import { hasBox } from "../text/list-item.ts";
import type { CheckState, ListItem } from "../text/list-item.ts";
import { outline } from "../text/markdown.ts";
import type { OutlineEntry } from "../text/markdown.ts";

export type Heading = { depth: number; text: string };
/** An entry of a file, and the headings that it is below. */
export type Located<Some> = Some & { headings: Heading[] };
export type Entry = Located<{ item: ListItem }>;

/** The items of a work file, before they have keys; `places` if the file's order counts. */
export type WorkList = { items: ImportItem[]; places?: Place[]; remarks: string[] };

/** Headings of sections that are done. */
const doneHeading = /^\W*(?:completed|complete|done|finished|archived?)\b|已完成|完成的/iu;

/** A file that is read once: its lines, and its entries in order. */
export type WorkFile = { lines: string[]; entries: Located<OutlineEntry>[] };

export function workFile(text: string): WorkFile {
  return { lines: text.split("\n"), entries: locatedIn(text) };
}

/** The entries of a file with the headings that each is below. */
export function locatedIn(text: string): Located<OutlineEntry>[] {
  let headings: Heading[] = [];
  return outline(text).map((entry) => {
    if (entry.kind === "item") return { ...entry, item: withForeignMarks(entry.item), headings };
    if (entry.kind === "text") return { ...entry, headings };
    const above = headings.filter(({ depth }) => depth < entry.depth);
    headings = [...above, entry];
    return { ...entry, headings: above };
  });
}

/** Other tools write `[~]` for what is in progress. */
function withForeignMarks(item: ListItem): ListItem {
  const items = item.items.map(withForeignMarks);
  return item.state === "cancelled" ? { ...item, items, state: "doing" } : { ...item, items };
}

export function entriesOf(entries: readonly Located<OutlineEntry>[]): Entry[] {
  return entries.flatMap((entry) => (entry.kind === "item" ? [entry] : []));
}

/** The list entries that have a box, or have one below them. */
export function boxedOf(entries: readonly Located<OutlineEntry>[]): Entry[] {
  return entriesOf(entries).filter(({ item }) => hasBox(item));
}

export function linesOf(entries: readonly Entry[]): number[] {
  return entries.map(({ item }) => item.line);
}

export function itemOf({ item, headings }: Entry): ImportItem {
  const [first = "", ...rest] = ownText(item).split("\n");
  const words = withoutMarks(first);
  // The document's title is no tag.
  const above = headings.filter(({ depth }) => depth > 1).map((heading) => heading.text);
  const told = above.toReversed();
  const priority =
    priorityIn(/^\s*[[(]?(?:P\d|high|low|critical|urgent)[\])]?[:\s]/i.exec(words)?.[0] ?? "") ??
    told.map(priorityIn).find(Boolean);
  const isDone =
    item.state === "done" || (item.state === undefined && told.some((heading) => doneHeading.test(heading)));
  return {
    key: "",
    line: item.line,
    type: told.some((heading) => /\bbugs?\b|缺陷/i.test(heading)) ? "fix" : "feature",
    title: importedTitle(words),
    objective: objectiveOf(words, [importedText(rest.join("\n"))]),
    criteria: [],
    tasks: nested(item, isDone ? "done" : "todo"),
    ...(priority !== undefined && { priority }),
    tags: tagsOf(told.filter((heading) => priorityIn(heading) === undefined)),
    dependencies: [],
    ...(isDone && { done: "implemented" }),
  };
}

/** The item, its objective with a pointer to the spec that it is from. */
export function pointedTo(item: ImportItem, spec: string | undefined): ImportItem {
  return spec === undefined ? item : { ...item, objective: `${item.objective}\n\nSpec: ${spec}` };
}

/** The item's text up to its nested lists. */
export function ownText(item: ListItem): string {
  const [below] = item.items;
  return below
    ? item.text
        .split("\n")
        .slice(0, Math.max(1, below.line - item.line))
        .join("\n")
    : item.text;
}

function withoutMarks(words: string): string {
  return words.replace(/^\*\*(.+?)\*\*:?(?=\s|$)/, "$1").replace(/^TODO:?\s+/, "");
}

/** All items below this one, at any depth; one without a box is as far as the one above it. */
export function nested(item: ListItem, above: CheckState): ImportTask[] {
  return item.items.flatMap((below) => {
    const state = below.state ?? above;
    return [...importedTask(ownText(below), state), ...nested(below, state)];
  });
}
