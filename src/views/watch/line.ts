/** A line of the screen in pieces, each with its tone; text of others is made plain when it is painted. */
import type { Tone } from "../../core/journal/events/line.ts";
import { plain } from "../../core/text/sanitize.ts";
import { cutTo, padTo, widthOf } from "../columns.ts";
import { paint } from "../paint.ts";

export type Piece = readonly [tone: Tone | "bold", text: string];
export type ScreenLine = readonly Piece[];

/** The line as the terminal gets it, cut to `width` columns. */
export function painted(line: ScreenLine, width: number): string {
  let left = width;
  let text = "";
  for (const [tone, raw] of line) {
    const piece = cutTo(oneLineOf(raw), Math.max(0, left));
    if (left <= 0) break;
    left -= widthOf(piece);
    text += paint(tone, piece);
  }
  return text;
}

/** The text in exactly `width` columns. */
export function cell(text: string, width: number): string {
  return width <= 0 ? "" : padTo(cutTo(oneLineOf(text), width), width);
}

function oneLineOf(text: string): string {
  return plain(text).replace(/[\n\t]/g, " ");
}
