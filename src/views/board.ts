/** The board: a column for each stage, side by side if the terminal is wide enough, else one below the other. */
import type { ListedIssue } from "../core/backlog/list.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { padTo, wrapTo } from "./columns.ts";
import { paint } from "./paint.ts";
import { named } from "../core/language/names.ts";
import { t } from "../core/language/translate.ts";

/** `count` includes the issues that are not shown. */
export type BoardColumn = { name: string; count: number; issues: readonly ListedIssue[] };

/** Below this width a title is cut to nothing. */
const columnWidthMin = 18;
const gap = 2;
const titleLinesMax = 3;

type Tone = "plain" | "bold" | "dim" | "good" | "bad";
type Cell = { text: string; tone: Tone };

/** Renders the board. Every line fits into `width` columns of the terminal. */
export function renderBoard(columns: readonly BoardColumn[], width: number): string {
  const each = Math.floor((width - gap * (columns.length - 1)) / columns.length);
  const beside = each >= columnWidthMin;
  const cells = columns.map((column) => cellsOf(column, beside ? each : Math.max(1, width)));
  const lines = beside ? rowsOf(cells, each) : cells.flatMap((column) => [...column.map(shown), ""]);
  return `${lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd()}\n`;
}

function rowsOf(cells: readonly (readonly Cell[])[], each: number): string[] {
  const height = Math.max(...cells.map((column) => column.length));
  return Array.from({ length: height }, (_, row) =>
    cells
      .map((column) => {
        const cell = column[row] ?? { text: "", tone: "plain" };
        return shown({ ...cell, text: padTo(cell.text, each) });
      })
      .join(" ".repeat(gap)),
  );
}

function shown({ text, tone }: Cell): string {
  return text === "" ? "" : paint(tone, text);
}

function cellsOf({ name, count, issues }: BoardColumn, width: number): Cell[] {
  const cut = (text: string, linesMax: number): string[] => wrapTo(text, width, linesMax);
  const cards = issues.flatMap((issue): Cell[] => [
    { text: "", tone: "plain" },
    ...cut(plainLine([issue.id, issue.priority ?? ""].join(" ")), 1).map((text): Cell => ({
      text,
      tone: "bold",
    })),
    ...cut(plainLine(issue.title), titleLinesMax).map((text): Cell => ({ text, tone: "plain" })),
    ...notesOf(issue).flatMap(({ text, tone }) => cut(text, 2).map((part): Cell => ({ text: part, tone }))),
  ]);
  const more = count - issues.length;
  return [
    ...cut(`${name} ${count}`, 1).map((text): Cell => ({ text, tone: "bold" })),
    { text: "─".repeat(width), tone: "dim" },
    ...cards,
    ...(more > 0 ? cut(t`… and ${more} more (--all)`, 2).map((text): Cell => ({ text, tone: "dim" })) : []),
  ];
}

function notesOf({ relay, status, waitsFor }: ListedIssue): Cell[] {
  const phase: Cell[] =
    relay === null || (relay === "done" && status === "closed")
      ? []
      : [{ text: t`relay: ${named(relay)}`, tone: relay === "blocked" ? "bad" : "good" }];
  const waits: Cell[] =
    waitsFor.length > 0 ? [{ text: plainLine(t`waits for ${waitsFor.join(", ")}`), tone: "dim" }] : [];
  return [...phase, ...waits];
}
