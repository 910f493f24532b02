/** The completion promise: the line that an agent prints when the work is done. Hooks load this file. */
import { ownLines } from "./own-words.ts";

/** The promise of a relay that sets none. */
export const promiseDefault = "COMPLETE";

/** Whether the promise is on a line of its own, outside fences, quotations and indented code. */
export function hasPromise(text: string, word = promiseDefault): boolean {
  const promise = /^ {0,3}<promise>([^<>]*)<\/promise>\s*$/i;
  return ownLines(text).some((line) => promise.exec(line)?.[1]?.trim().toLowerCase() === word.toLowerCase());
}
