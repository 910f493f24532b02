/** Reads fix_plan.md and spec-kit's tasks.md: each list entry becomes an item, with tags and priority from the headings. */
import { faultError } from "../error/fault.ts";
import { importedLine, importedTitle, importedText, objectiveOf, tagsOf } from "./import-item.ts";
import type { ImportItem, Reading } from "./import-item.ts";
import { itemKeys } from "./item-keys.ts";
import { hasBox } from "../text/list-item.ts";
import type { ListItem } from "../text/list-item.ts";
import { outline } from "../text/markdown.ts";
import { priorityIn } from "../issue/priority.ts";
import { t } from "../language/translate.ts";

/** Headings of sections that are done, and of sections that are not work. */
const doneHeading = /^\W*(?:completed|complete|done|finished|archived?)\b|已完成|完成的/iu;
const notesHeading =
  /^\W*(?:notes?|references?|legend|how to|how this|maintenance|learnings|discoveries|about)\b|备注|说明|笔记/iu;

type Entry = { item: ListItem; headings: Heading[] };
type Heading = { depth: number; text: string };

/** Throws `input` with file and line if there is nothing to import. */
export function readChecklist(text: string, file: string): Reading {
  const entries = entriesIn(text);
  const boxes = entries.some(({ item }) => hasBox(item));
  const work = entries.filter(({ item, headings }) =>
    boxes ? hasBox(item) : !headings.some((heading) => notesHeading.test(heading.text)),
  );
  const items = work.map((entry) => itemOf(entry)).filter((item) => item.title !== "");
  if (items.length === 0) {
    throw faultError(
      {
        line: 1,
        message: t`no items`,
        hint: t`write them as \`- [ ] …\`, below headings such as ## High Priority`,
      },
      file,
    );
  }
  const keyed = itemKeys(items);
  if ("fault" in keyed) throw faultError(keyed.fault, file);
  const left = entries.filter((entry) => !work.includes(entry));
  const lines = left.map(({ item }) => item.line).join(", ");
  const shown = lines.slice(0, 200);
  const remark = boxes
    ? t`passed over, having no checkbox as others have: line ${shown}`
    : t`passed over, being notes: line ${shown}`;
  return { items: keyed.items, remarks: left.length === 0 ? [] : [remark] };
}

function entriesIn(text: string): Entry[] {
  let headings: Heading[] = [];
  const entries: Entry[] = [];
  for (const entry of outline(text)) {
    if (entry.kind === "heading") {
      headings = headings.filter(({ depth }) => depth < entry.depth);
      headings.push(entry);
    } else if (entry.kind === "item") entries.push({ item: entry.item, headings });
  }
  return entries;
}

function itemOf({ item, headings }: Entry): ImportItem {
  const [first = "", ...rest] = ownText(item).split("\n");
  const text = withoutMarks(first);
  const title = importedTitle(text);
  // The document's title is no tag.
  const above = headings.filter(({ depth }) => depth > 1).map((heading) => heading.text);
  const nearestFirst = [...above].reverse();
  const priority =
    priorityIn(/^\s*[[(]?(?:P\d|high|low|critical|urgent)[\])]?[:\s]/i.exec(text)?.[0] ?? "") ??
    nearestFirst.map(priorityIn).find(Boolean);
  const done =
    item.state === "done" ||
    (item.state === undefined && nearestFirst.some((heading) => doneHeading.test(heading)));
  return {
    key: "",
    line: item.line,
    type: nearestFirst.some((heading) => /\bbugs?\b|缺陷/i.test(heading)) ? "fix" : "feature",
    title,
    objective: objectiveOf(text, [importedText(rest.join("\n"))]),
    criteria: [],
    tasks: nested(item),
    ...(priority !== undefined && { priority }),
    tags: tagsOf(nearestFirst.filter((heading) => priorityIn(heading) === undefined)),
    dependencies: [],
    ...(done && { done: "implemented" }),
    ...(item.state === "cancelled" && { done: "cancelled" }),
  };
}

/** The item's text up to its nested lists. */
function ownText(item: ListItem): string {
  const [below] = item.items;
  return below
    ? item.text
        .split("\n")
        .slice(0, Math.max(1, below.line - item.line))
        .join("\n")
    : item.text;
}

function withoutMarks(text: string): string {
  return text.replace(/^\*\*(.+?)\*\*:?(?=\s|$)/, "$1").replace(/^TODO:?\s+/, "");
}

/** All open items below this one, at any depth. */
function nested(item: ListItem): string[] {
  return item.items
    .flatMap((below) => [
      ...(below.state === "done" || below.state === "cancelled" ? [] : [importedLine(ownText(below))]),
      ...nested(below),
    ])
    .filter((text) => text !== "");
}
