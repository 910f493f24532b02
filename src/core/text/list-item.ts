/** Turns lists of a syntax tree into items: their texts, their checkboxes, and the offset of each box's mark. */
import type { List, ListItem as ListItemNode } from "mdast";
import { nestingMax } from "../limits.ts";
import { columnOf, lineOf, spanOf, spanWithin } from "./source-span.ts";

export type CheckState = "todo" | "doing" | "done" | "cancelled";

/** The character between the brackets for each state. */
export const checkMarks: Record<CheckState, string> = { todo: " ", doing: "/", done: "x", cancelled: "~" };

const statesByMark: Record<string, CheckState> = {
  " ": "todo",
  "/": "doing",
  "-": "doing",
  x: "done",
  X: "done",
  "~": "cancelled",
  "+": "cancelled",
};

export interface ListItem {
  /** The item's Markdown, dedented and without its marker; with checkbox and nested lists. */
  source: string;
  /** `source` without the checkbox. */
  text: string;
  /** `text` up to the first nested list that holds checkboxes. */
  ownText: string;
  state?: CheckState;
  /** The offset in the body of the character between the brackets. */
  markOffset?: number;
  /** The line within the body, from 1. */
  line: number;
  items: ListItem[];
}

interface Within {
  end: number;
  depth: number;
}

export function itemsOf(source: string, list: List, within: Within): ListItem[] {
  return list.children.map((node, index) => {
    const span = spanWithin(node, list.children[index + 1], within.end);
    return itemOf(source, node, { ...span, depth: within.depth });
  });
}

function itemOf(source: string, node: ListItemNode, span: { start: number } & Within): ListItem {
  const { start, end, depth } = span;
  const marker = /^(?:[-*+]|\d{1,9}[.)])/.exec(source.slice(start, start + 10))?.[0] ?? "-";
  const content = contentOf(source, { start, column: columnOf(node) }, marker.length);
  const box = /^\[([ xX/\-~+])\](?=\s|$)[ \t]*/.exec(
    source.slice(content.start, Math.min(content.start + 64, end)),
  );
  const state = box?.[1] === undefined ? undefined : statesByMark[box[1]];
  const textStart = content.start + (box?.[0].length ?? 0);
  const nested = depth < nestingMax ? node.children.filter((child) => child.type === "list") : [];
  const lists = nested.map((list) => ({ list, items: itemsOf(source, list, { end, depth: depth + 1 }) }));
  const withBoxes = lists.find(({ items }) => items.some(hasBox));
  const slice = (from: number, to: number): string =>
    dedent(source.slice(from, Math.max(from, to)), content.column);
  return {
    source: slice(content.start, end),
    text: slice(textStart, end),
    ownText: slice(textStart, withBoxes ? spanOf(withBoxes.list).start : end),
    ...(state && { state, markOffset: content.start + 1 }),
    line: lineOf(node),
    items: lists.flatMap(({ items }) => items),
  };
}

export function hasBox(item: ListItem): boolean {
  return item.state !== undefined || item.items.some(hasBox);
}

type Place = { start: number; column: number };

/** The start of an item's content: its offset and its column (from 0, a tab being up to four). `at`: the marker, its column in characters. */
function contentOf(source: string, at: Place, markerChars: number): Place {
  const markerEnd = at.start + markerChars;
  const column = columnAfter(source.slice(at.start - at.column, markerEnd), 0);
  const space = /^[ \t]*/.exec(source.slice(markerEnd, markerEnd + 8))?.[0] ?? "";
  const after = columnAfter(space, column);
  const blank = /^(?:[\r\n]|$)/.test(source.slice(markerEnd + space.length, markerEnd + space.length + 1));
  if (blank || after - column > 4)
    return { start: markerEnd + Math.min(1, space.length), column: column + 1 };
  return { start: markerEnd + space.length, column: after };
}

function columnAfter(text: string, from: number): number {
  let column = from;
  for (const char of text) column += char === "\t" ? 4 - (column % 4) : 1;
  return column;
}

/** The text with `columns` of indentation removed from every line but the first. */
function dedent(text: string, columns: number): string {
  const [first = "", ...rest] = text.split(/\r\n|\r|\n/);
  return [first, ...rest.map((line) => dedentLine(line, columns))].join("\n").trim();
}

function dedentLine(line: string, columns: number): string {
  let column = 0;
  let at = 0;
  while (column < columns && (line[at] === " " || line[at] === "\t")) {
    column += line[at] === "\t" ? 4 - (column % 4) : 1;
    at++;
  }
  return " ".repeat(Math.max(0, column - columns)) + line.slice(at);
}
