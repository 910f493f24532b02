/** A block between two marked lines at the end of a text: added, and taken out again wherever it stands. */

export type Block = { begin: string; end: string; lines: readonly string[] };

/** The same text where the block is there. */
export function addBlock(text: string, { begin, end, lines }: Block): string {
  if (text.includes(begin)) return text;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" ? "" : text.endsWith("\n") ? eol : `${eol}${eol}`;
  return `${text}${gap}${[begin, ...lines, end].join(eol)}${eol}`;
}

/** Without the block and the empty line above it; the same text where one of its marks is missing. */
export function removeBlock(text: string, { begin, end }: Pick<Block, "begin" | "end">): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) return text;
  const above = text.slice(0, from).replace(/(^|\n)\r?\n$/, "$1");
  return above + text.slice(to + end.length).replace(/^\r?\n/, "");
}
