/** What may be missing or broken without harm: its value, or another one in its place. */
import { MonocoError } from "./error.ts";

/** What `make` gives; `instead` where it throws. */
export function attempt<T, U>(make: () => T, instead: U): T | U {
  try {
    return make();
  } catch {
    return instead;
  }
}

/** Undefined if it is not JSON. What does not begin and end like it is not parsed: output has millions of such lines, and an error takes 8 µs. */
export function jsonOf(text: string): unknown {
  const [first = "?", last = "?"] = [text.trimStart()[0], text.trimEnd().at(-1)];
  const isLike = '{["-0123456789tfn'.includes(first) && '}]"0123456789el'.includes(last);
  return isLike ? attempt(() => JSON.parse(text) as unknown, undefined) : undefined;
}

/** Undefined where it refuses: whoever needs it tells why. */
export function unlessRefused<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof MonocoError) return undefined;
    throw error;
  }
}
