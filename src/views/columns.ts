/** Text in columns of a terminal: Chinese and emoji take two, combining marks none. */
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/** Signs of one column each: what most lines consist of. The tables of all others take 20 ms to load, and wait until a text needs them. */
const narrow = /^[\x20-\x7e·×–—…→≤]*$/;

/** The columns that a text takes. */
export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length;
  return (load("string-width") as typeof import("string-width")).default(text);
}

/** Filled with blanks up to `width` columns. */
export function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** At most `linesMax` lines of at most `width` columns, broken at blanks and in words that are longer; an ellipsis ends what is cut. */
export function wrapTo(text: string, width: number, linesMax: number): string[] {
  if (text.trim() === "") return [];
  if (narrow.test(text) && text.length <= width) return [text.trim()];
  const lines = wrap(text, width, { hard: true }).split("\n");
  const shown = lines.slice(0, linesMax - 1);
  const rest = lines.slice(linesMax - 1).join(" ");
  return [...shown, ...(rest === "" ? [] : [rest])].map((line) => cutTo(line, width));
}

/** One line of at most `width` columns. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (narrow.test(text))
    return `${text
      .trim()
      .slice(0, Math.max(0, width - 1))
      .trimEnd()}…`;
  const [head = ""] = wrap(text, Math.max(1, width - 1), { hard: true, wordWrap: false }).split("\n");
  // One wide sign is wider than one column.
  return `${widthOf(head) < width ? head : ""}…`;
}

const wrap: typeof import("wrap-ansi").default = (text, ...how) =>
  (load("wrap-ansi") as typeof import("wrap-ansi")).default(text, ...how);
