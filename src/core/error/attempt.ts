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

/** Undefined if it is not JSON. */
export function jsonOf(text: string): unknown {
  return attempt(() => JSON.parse(text) as unknown, undefined);
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
