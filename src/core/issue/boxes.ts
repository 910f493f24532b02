/** Finds malformed checkboxes (`[]`, `[✓]`, `-[ ]`, `[x]` without a blank) and their correct form. */
import type { Section } from "../text/markdown.ts";

/** A replacement of the text between two offsets. */
export type TextEdit = { start: number; end: number; text: string };

export type WrongBox = {
  /** The line within the body, from 1. */
  line: number;
  /** The box as written, for a message. */
  raw: string;
  /** The corrected box. */
  says: string;
  /** The edit, with offsets in the body. */
  edit: TextEdit;
};

/** The mark behind each spelling that people put between the brackets. */
const meant: ReadonlyMap<string, string> = new Map([
  ["", " "],
  ..."x v ✓ ✔ √ ✅ ☑ *".split(" ").map((sign) => [sign, "x"] as const),
  ..."/ - ~ +".split(" ").map((sign) => [sign, sign] as const),
]);

/** Malformed boxes in the section's lists; code and comments are skipped. */
export function wrongBoxes(section: Section): WrongBox[] {
  const boxes: WrongBox[] = [];
  let at = section.contentOffset;
  let fence = "";
  let comment = false;
  for (const [index, line] of section.source.split("\n").entries()) {
    const mark = /^\s*(?:[-*+]\s+)?(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    const isCode = fence !== "" || mark !== "";
    if (fence === "") fence = mark;
    else if (mark !== "" && mark[0] === fence[0] && mark.length >= fence.length) fence = "";
    const isComment = comment || line.includes("<!--");
    if (isComment) comment = !line.slice(line.lastIndexOf("<!--") + 1).includes("-->");
    const wrong = isCode || isComment ? undefined : wrongBox(line);
    if (wrong) {
      const start = at + wrong.start;
      const edit = { start, end: start + wrong.raw.length, text: wrong.says };
      boxes.push({ line: section.line + index, raw: wrong.raw.trim(), says: wrong.says.trim(), edit });
    }
    at += line.length + 1;
  }
  return boxes;
}

/** The malformed box of a line, from the list marker to the blank after the box. Links (`[x](…)`, `[x]:`) do not count. */
function wrongBox(line: string): { start: number; raw: string; says: string } | undefined {
  const [, indent = "", marker = "", gap = "", inner = "", after = ""] =
    /^(\s{0,24})([-*+]|\d{1,9}[.)])([ \t]{0,4})\[([^\]\n]{0,6})\]([ \t]?)(?![([:\]])/u.exec(line) ?? [];
  if (marker === "") return undefined;
  const rest = line.slice(indent.length + marker.length + gap.length + inner.length + 2 + after.length);
  const mark = inner === " " ? " " : meant.get(inner.trim().replace("\ufe0f", "").toLowerCase());
  // Letters right after the brackets belong to a link or a word; Chinese characters begin the item.
  if (mark === undefined || (after === "" && rest.trim() !== "" && !/^\p{Script=Han}/u.test(rest)))
    return undefined;
  const says = `${marker}${gap === "" ? " " : gap}[${/^[ xX/~+-]$/.test(inner) ? inner : mark}]${after === "" && rest.trim() !== "" ? " " : after}`;
  const raw = `${marker}${gap}[${inner}]${after}`;
  return says === raw ? undefined : { start: indent.length, raw, says };
}
