/** Text in a terminal's columns: Chinese and emoji take two, combining marks none. */
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/** The most common one-column characters. The tables of all others take 20 ms to load, so they wait until a text needs them. */
const narrow = /^[\x20-\x7e·×–—…→≤]*$/;

/** The number of columns of a text. */
export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length;
  return (load("string-width") as typeof import("string-width")).default(text);
}

/** Pads the text with blanks to `width` columns. */
export function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** At most `linesMax` lines of at most `width` columns, broken at blanks, or inside longer words; a cut text ends in an ellipsis. */
export function wrapTo(text: string, width: number, linesMax: number): string[] {
  if (text.trim() === "") return [];
  if (narrow.test(text) && text.length <= width) return [text.trim()];
  const lines = wrap(atMost(text, width * linesMax), width, { hard: true }).split("\n");
  const shown = lines.slice(0, linesMax - 1);
  const rest = lines.slice(linesMax - 1).join(" ");
  return [...shown, ...(rest === "" ? [] : [rest])].map((line) => cutTo(line, width));
}

/** Cuts the text to one line of at most `width` columns. */
export function cutTo(text: string, width: number): string {
  const begin = atMost(text, width);
  if (begin === text && widthOf(text) <= width) return text;
  if (narrow.test(text))
    return `${text
      .trim()
      .slice(0, Math.max(0, width - 1))
      .trimEnd()}…`;
  const how = { hard: true, wordWrap: false };
  const [head = ""] = wrap(begin, Math.max(1, width - 1), how).split("\n");
  // A wide character may exceed a single column.
  return `${widthOf(head) < width ? head : ""}…`;
}

/** What may fill so many columns: the rest of a long text would be measured in vain. */
function atMost(text: string, columns: number): string {
  return text.slice(0, Math.max(80, columns * 4));
}

const wrap: typeof import("wrap-ansi").default = (text, ...how) =>
  (load("wrap-ansi") as typeof import("wrap-ansi")).default(text, ...how);
