/** Extracts the agent's own words from an answer, without quotations and code. Hooks load this file. */

/** The lines outside fences and quotations. */
export function ownLines(text: string): string[] {
  let fenced = false;
  return text.split(/\r\n|\r|\n/).filter((line) => {
    const fence = /^\s*(?:```|~~~)/.test(line);
    if (fence) fenced = !fenced;
    return !fence && !fenced && !/^\s*>/.test(line);
  });
}

/** A fence around a status block or an object at the end of an answer; a short farewell may follow. */
const blockFence =
  /^[ \t]*(?:```|~~~)(?:json|ya?ml|text|md|markdown)?[ \t]*\n(?=[-=\s*_#]*"?RALPH_STATUS|\s*\{)((?:(?![ \t]*(?:```|~~~)).*\n)+)(?:[ \t]*(?:```|~~~).*\n)?(?![\s\S]{300})/gim;

/** The agent's own lines, with status blocks in fences. */
export function linesWithBlocks(text: string): string[] {
  return ownLines(`${text.replaceAll(/\r\n?/g, "\n")}\n`.replaceAll(blockFence, "$1"));
}
