/** The keys of the settings, read off their schema: what may stand where, and which key was probably meant. */
import { z } from "zod";
import type { Advice } from "../error/hint-schema.ts";
import { nearest } from "../text/nearest.ts";
import { t } from "../language/translate.ts";

/** The schema below defaults and the like. */
export function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const wrapped =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable;
  return wrapped ? bare(schema.unwrap()) : inFull(schema);
}

/** What may be written as one word or as a map (`finish`) is looked at as the map. */
function inFull(schema: z.core.$ZodType): z.core.$ZodType {
  if (!(schema instanceof z.ZodUnion)) return schema;
  const [map, ...others] = schema.options.filter((option) => option instanceof z.ZodObject);
  return map !== undefined && others.length === 0 ? map : schema;
}

/** What may stand at `path`, its default and all; undefined where nothing may. */
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

/** The keys that may stand in the map at `path`; none where people choose the names themselves. */
export function keysAt(schema: z.core.$ZodType, path: readonly string[]): string[] {
  const there = schemaAt(schema, path);
  const map = there && bare(there);
  if (map instanceof z.ZodRecord && map.keyType instanceof z.ZodEnum) return map.keyType.options.map(String);
  return map instanceof z.ZodObject ? Object.keys(map.shape) : [];
}

/** Every key that holds a value, as `limits.sessionsMax`; a map of names (`agents`, `gates`) is one. */
export function allKeys(schema: z.core.$ZodType, below: readonly string[] = []): string[] {
  const map = bare(schema);
  if (!(map instanceof z.ZodObject)) return [below.join(".")];
  const shape = map.shape as Readonly<Record<string, z.core.$ZodType>>;
  return Object.entries(shape).flatMap(([key, value]) => allKeys(value, [...below, key]));
}

/** What to do about a key that is not there: the one that was probably meant, and those that may stand in its place. */
export function hintForKey(schema: z.core.$ZodType, path: readonly string[]): Advice {
  const meant = meantBy(schema, path);
  const known = keysAt(schema, path.slice(0, -1)).join(", ");
  const hint = `${meant === undefined ? "" : t`did you mean ${meant}? `}${known && t`known keys: ${known}`}`;
  return hint.trim() || [[{ do: "list_settings" }]];
}

/** The same name elsewhere, else a neighbour of like name, else one of like name anywhere. */
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
