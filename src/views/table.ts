/** Rows as a table: each column is as wide as its widest cell. */
import type { Tone } from "../core/journal/events/line.ts";
import { padTo, widthOf } from "./columns.ts";
import { paint } from "./paint.ts";

/** A text as it is, or a text to paint after padding. */
export type Cell = string | { text: string; tone: Tone | "bold" };

/** A line for each row, with two blanks between cells; the last cell of a row is not padded. */
export function tableLines(rows: readonly (readonly Cell[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...rows.map((row) => (column < row.length - 1 ? widthOf(textOf(row[column]!)) : 0))),
  );
  const filled = (text: string, column: number): string => padTo(text, widths[column]!);
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const text = column === row.length - 1 ? textOf(cell) : filled(textOf(cell), column);
        return typeof cell === "string" ? text : paint(cell.tone, text);
      })
      .join("  ")
      .trimEnd(),
  );
}

function textOf(cell: Cell): string {
  return typeof cell === "string" ? cell : cell.text;
}
