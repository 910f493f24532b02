/** What of an answer the agent says itself: no quotation and no code. A hook loads this file. */

/** Lines outside of fences and quotations. */
export function ownLines(text: string): string[] {
  let fenced = false;
  return text.split(/\r\n|\r|\n/).filter((line) => {
    const fence = /^\s*(?:```|~~~)/.test(line);
    if (fence) fenced = !fenced;
    return !fence && !fenced && !/^\s*>/.test(line);
  });
}

/** A fence around a status block or an object that is the answer's end, but for a short farewell. */
const blockFence =
  /^[ \t]*(?:```|~~~)(?:json|ya?ml|text|md|markdown)?[ \t]*\n(?=[-=\s*_#]*"?RALPH_STATUS|\s*\{)((?:(?![ \t]*(?:```|~~~)).*\n)+)(?:[ \t]*(?:```|~~~).*\n)?(?![\s\S]{300})/gim;

/** The own lines, with those of status blocks in fences. */
export function linesWithBlocks(text: string): string[] {
  return ownLines(`${text.replaceAll(/\r\n?/g, "\n")}\n`.replaceAll(blockFence, "$1"));
}
