/** The keys of the settings, from their schema: the allowed ones at each path, and the probable meaning of a wrong one. */
import { z } from "zod";
import type { Advice } from "../error/hint-schema.ts";
import { nearest } from "../text/nearest.ts";
import { t } from "../language/translate.ts";

/** The schema inside defaults and other wrappers. */
export function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const wrapped =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable;
  return wrapped ? bare(schema.unwrap()) : inFull(schema);
}

/** The map form of a setting that may be a word or a map (`finish`). */
function inFull(schema: z.core.$ZodType): z.core.$ZodType {
  if (!(schema instanceof z.ZodUnion)) return schema;
  const [map, ...others] = schema.options.filter((option) => option instanceof z.ZodObject);
  return map !== undefined && others.length === 0 ? map : schema;
}

/** The schema at `path`, with its default; undefined if the path is not allowed. */
export function schemaAt(schema: z.core.$ZodType, path: readonly string[]): z.core.$ZodType | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  const next = bare(schema);
  if (next instanceof z.ZodObject) {
    const shape = next.shape as Readonly<Record<string, z.core.$ZodType>>;
    return Object.hasOwn(shape, key) ? schemaAt(shape[key]!, rest) : undefined;
  }
  if (!(next instanceof z.ZodRecord)) return undefined;
  return z.safeParse(next.keyType, key).success ? schemaAt(next.valueType, rest) : undefined;
}

/** The allowed keys in the map at `path`; none if people choose the names. */
export function keysAt(schema: z.core.$ZodType, path: readonly string[]): string[] {
  const there = schemaAt(schema, path);
  const map = there && bare(there);
  if (map instanceof z.ZodRecord && map.keyType instanceof z.ZodEnum) return map.keyType.options.map(String);
  return map instanceof z.ZodObject ? Object.keys(map.shape) : [];
}

/** Every key that holds a value, as `limits.sessionsMax`; a map with free names (`agents`, `gates`) is one value. */
export function allKeys(schema: z.core.$ZodType, below: readonly string[] = []): string[] {
  const map = bare(schema);
  if (!(map instanceof z.ZodObject)) return [below.join(".")];
  const shape = map.shape as Readonly<Record<string, z.core.$ZodType>>;
  return Object.entries(shape).flatMap(([key, value]) => allKeys(value, [...below, key]));
}

/** The advice for an unknown key: the one that was probably meant, and the allowed ones. */
export function hintForKey(schema: z.core.$ZodType, path: readonly string[]): Advice {
  const meant = meantBy(schema, path);
  const keys = keysAt(schema, path.slice(0, -1)).join(", ");
  const hint = `${meant === undefined ? "" : t`did you mean ${meant}? `}${keys && t`known keys: ${keys}`}`;
  return hint.trim() || [[{ do: "list_settings" }]];
}

/** The same name at another path, else a similar neighbour, else a similar name anywhere. */
function meantBy(schema: z.core.$ZodType, path: readonly string[]): string | undefined {
  const [above, last] = [path.slice(0, -1), path.at(-1) ?? ""];
  const elsewhere = allKeys(schema);
  const same = elsewhere.find((key) => key.split(".").at(-1) === last);
  if (same !== undefined) return same;
  const beside = nearest(last, keysAt(schema, above));
  if (beside !== undefined) return [...above, beside].join(".");
  const name = nearest(
    last,
    elsewhere.map((key) => key.split(".").at(-1)!),
  );
  return elsewhere.find((key) => key.split(".").at(-1) === name) ?? nearest(path.join("."), elsewhere);
}
