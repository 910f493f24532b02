/** Adds a block between two marker lines to the end of a text, and removes it wherever it is. */

export type Block = { begin: string; end: string; lines: readonly string[] };

/** The text with the block; unchanged if it has one. */
export function addBlock(text: string, { begin, end, lines }: Block): string {
  if (text.includes(begin)) return text;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" ? "" : text.endsWith("\n") ? eol : `${eol}${eol}`;
  return `${text}${gap}${[begin, ...lines, end].join(eol)}${eol}`;
}

/** The text without the block and the empty line above it; unchanged if either marker is missing. */
export function removeBlock(text: string, { begin, end }: Pick<Block, "begin" | "end">): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) return text;
  const above = text.slice(0, from).replace(/(^|\n)\r?\n$/, "$1");
  return above + text.slice(to + end.length).replace(/^\r?\n/, "");
}
