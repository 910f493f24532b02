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
