/** The completion promise: a line that an agent prints when all is done. No other module is needed: a hook asks too. */
import { retractions } from "./phrases.ts";

/** The promise of a relay that names no other. */
export const promiseDefault = "COMPLETE";

/** On a line of its own, outside of fences, quotations and indented code, and not taken back below it. */
export function hasPromise(text: string, word = promiseDefault): boolean {
  const lines = ownLines(text);
  const last = lines.findLastIndex((line) => wordIn(line)?.toLowerCase() === word.toLowerCase());
  return last >= 0 && takesBack(lines.slice(last + 1).join("\n")) === undefined;
}

function wordIn(line: string): string | undefined {
  return /^ {0,3}<promise>([^<>]*)<\/promise>\s*$/i.exec(line)?.[1]?.trim();
}

/** The sentence that takes back what stands above `text`. */
export function takesBack(text: string): string | undefined {
  return ownLines(text.slice(0, charsMax))
    .flatMap(inSentences)
    .find((sentence) => retractions.some((pattern) => pattern.test(sentence)));
}

const charsMax = 20_000;

/** Lines outside of fenced code and quotations. */
export function ownLines(text: string): string[] {
  let fenced = false;
  return text.split(/\r\n|\r|\n/).filter((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) {
      fenced = !fenced;
      return false;
    }
    return !fenced && !/^\s*>/.test(line);
  });
}

export function inSentences(line: string): string[] {
  return line
    .split(/(?<=[.!?。！？；;])\s*/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}
