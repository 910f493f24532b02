/** Settings as plain values by key, without schemas, so that hints need no zod. */
import { isRecord } from "../text/record.ts";

export type Values = { readonly [key: string]: unknown };

/** The paths of all values; a list is one value. */
export function leaves(values: Values, below: readonly string[] = []): string[][] {
  return Object.entries(values).flatMap(([key, value]) => {
    const path = [...below, key];
    return isRecord(value) ? leaves(value, path) : [path];
  });
}

/** The value at `path`; undefined if there is none. */
export function valueAt(values: Values, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return values;
  const value = Object.hasOwn(values, key) ? values[key] : undefined;
  return rest.length === 0 ? value : isRecord(value) ? valueAt(value, rest) : undefined;
}

/** Settings that may be a word instead of a map, with the key that the word is for: `finish: pr` is `finish: { by: pr }`. */
const shortFor: Readonly<Record<string, string>> = { finish: "by", remote: "name" };

export const shortKeys = Object.keys(shortFor);

/** The values of one source with the short forms expanded, since sources are joined key by key. */
export function valuesInFull<T extends { readonly [key: string]: unknown }>(values: T): T {
  const words = Object.entries(shortFor).filter(([key]) => typeof values[key] === "string");
  return { ...values, ...Object.fromEntries(words.map(([key, below]) => [key, { [below]: values[key] }])) };
}

/** The key of a variable or flag with the short form expanded: `finish` means `finish.by`, unless the text is a map. */
export function keyInFull(key: string, text: string): string {
  const below = Object.hasOwn(shortFor, key) && !text.trimStart().startsWith("{") ? shortFor[key] : undefined;
  return below === undefined ? key : `${key}.${below}`;
}
