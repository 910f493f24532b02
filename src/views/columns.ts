/** Text in columns of a terminal: Chinese and emoji take two, combining marks none. */
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** The columns that a text takes. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Filled with blanks up to `width` columns. */
export function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}

/** At most `linesMax` lines of at most `width` columns, broken at blanks and in words that are longer; an ellipsis ends what is cut. */
export function wrapTo(text: string, width: number, linesMax: number): string[] {
  if (text.trim() === "") return [];
  const lines = wrapAnsi(text, width, { hard: true }).split("\n");
  const shown = lines.slice(0, linesMax - 1);
  const rest = lines.slice(linesMax - 1).join(" ");
  return [...shown, ...(rest === "" ? [] : [rest])].map((line) => cutTo(line, width));
}

/** One line of at most `width` columns. */
export function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const [head = ""] = wrapAnsi(text, Math.max(1, width - 1), { hard: true, wordWrap: false }).split("\n");
  // One wide sign is wider than one column.
  return `${stringWidth(head) < width ? head : ""}…`;
}
