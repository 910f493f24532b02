/** The completion promise: a line that an agent prints when all is done. A hook loads this file. */
import { ownLines } from "./own-words.ts";

/** The promise of a relay that names no other. */
export const promiseDefault = "COMPLETE";

/** On a line of its own, outside of fences, quotations and indented code. */
export function hasPromise(text: string, word = promiseDefault): boolean {
  const promise = /^ {0,3}<promise>([^<>]*)<\/promise>\s*$/i;
  return ownLines(text).some((line) => promise.exec(line)?.[1]?.trim().toLowerCase() === word.toLowerCase());
}
