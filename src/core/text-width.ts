/** How many columns of a terminal a text takes: Chinese and emoji take two, combining marks none. */

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** East Asian Wide and Fullwidth, as far as people write them, and what is shown as a picture. */
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|.\ufe0f)/u;

function widthOfGrapheme(grapheme: string): number {
  if (/^\p{M}/u.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += widthOfGrapheme(segment);
  return width;
}

/** At most `width` columns of a text; where it is longer, an ellipsis is the last of them. */
function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const { segment } of graphemes.segment(text)) {
    used += widthOfGrapheme(segment);
    if (used > width) break;
    kept += segment;
  }
  return width < 1 ? "" : `${kept}…`;
}

/** Exactly `width` columns: cut, or filled with blanks. */
export function padTo(text: string, width: number): string {
  const cut = cutTo(text, width);
  return cut + " ".repeat(Math.max(0, width - widthOf(cut)));
}

/** At most `linesMax` lines of at most `width` columns, broken at blanks, and anywhere where there are none. */
export function wrapTo(text: string, width: number, linesMax: number): string[] {
  const lines: string[] = [];
  let rest = text.trim();
  while (rest !== "" && lines.length < linesMax - 1 && widthOf(rest) > width) {
    const head = headOf(rest, width);
    lines.push(head.trimEnd());
    rest = rest.slice(head.length).trimStart();
  }
  return rest === "" ? lines : [...lines, cutTo(rest, width)];
}

/** What of a text goes on the first line; at least one sign, so that it ends. */
function headOf(text: string, width: number): string {
  let head = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += widthOfGrapheme(segment);
    if (used > width && head !== "") break;
    head += segment;
  }
  const blank = /^\s/.test(text.slice(head.length)) ? head.length : head.lastIndexOf(" ");
  // A break in the middle of a line is better than one that leaves most of it empty.
  return blank * 2 >= head.length ? head.slice(0, blank) : head;
}
