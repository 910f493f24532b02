/** Evaluates an expression that may fail harmlessly, with a fallback value. */
import { MonocoError } from "./error.ts";

/** The result of `make`, or `instead` if it throws. */
export function attempt<T, U>(make: () => T, instead: U): T | U {
  try {
    return make();
  } catch {
    return instead;
  }
}

/** The parsed value, or undefined if the text is not JSON. A quick look at both ends comes first: output has millions of other lines, and a thrown error takes 8 µs. */
export function jsonOf(text: string): unknown {
  const [first = "?", last = "?"] = [text.trimStart()[0], text.trimEnd().at(-1)];
  const isLike = '{["-0123456789tfn'.includes(first) && '}]"0123456789el'.includes(last);
  return isLike ? attempt(() => JSON.parse(text) as unknown, undefined) : undefined;
}

/** The result of `make`, or undefined if it throws a MonocoError; the caller has to report the refusal. */
export function unlessRefused<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof MonocoError) return undefined;
    throw error;
  }
}
