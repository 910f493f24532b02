/** A setting as one record: its schema with its default, its purpose, and its unit. The JSON Schema and docs/settings.md are made from it. */
import { z } from "zod";

/** `about` is Markdown; its links are relative to docs/settings.md. */
export type About = { about: string; unit?: string };

/** The texts by schema. */
export const abouts = z.registry<About>();

export function setting<S extends z.ZodType>(schema: S, about: string, unit?: string): S {
  abouts.add(schema, unit === undefined ? { about } : { about, unit });
  return schema;
}
