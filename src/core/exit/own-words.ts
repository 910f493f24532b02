/** What of an answer the agent says itself: no quotation, no code, no block that it announces or shows. A hook loads this file. */

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

/** The line that leads to the block around line `at` speaks of a plan, a rule, an example or somebody else's words. */
export function isShown(lines: readonly string[], at: number): boolean {
  const lead = lines.slice(Math.max(0, at - 40), at).findLast((line) => !ofBlock.test(line)) ?? "";
  const last = lead.split(/(?<=[.!?。！？；;])\s+/).at(-1)!;
  return /[:：][\s*]*$|^\s*(?:#|\*\*)/.test(lead) && announcement.test(last);
}

const ofBlock = /RALPH_STATUS|ralph_status|^[\s|*`"{}-]*(?:[A-Z][A-Z_ ]+["*`]*\s*[:：=|].*)?$/;

const announcement =
  /\b(?:will|shall|should|must|would|going to|when|once|until|if|always|examples?|samples?|templates?|formats?|rules?|prompt|logs?|readme|previous|earlier|last (?:session|run)|says?|said|ended|wrote|contains?|prints?|printed|finds?|expects?|parses?|output|use|include|print|cuando|wenn)\b|将|[当完].*[时后]|一旦|如果|示例|例如|格式|上一|之前|日志/i;
