/** Shared by the adapters: JSON lines from a program whose next version may say more, or say it differently. */
import { fileURLToPath } from "node:url";
import { jsonOf } from "../core/error/attempt.ts";
import { z } from "zod";
import type { AgentUpdate } from "../core/session/update.ts";
import { plainLine } from "../core/text/sanitize.ts";

/** The value of a JSON line that fits the schema. A line that is not JSON is rejected first, without the cost of a schema error. */
export function saidIn<T>(line: string, schema: z.ZodType<T>): T | undefined {
  const value = "{[".includes(line.trimStart()[0] ?? "?") ? jsonOf(line) : undefined;
  return value === undefined ? undefined : schema.safeParse(value).data;
}

/** Reads a line by its schema; an unknown line gives no update. Broken JSON is ignored; any other text is passed on. */
export function readJsonLine<T>(
  line: string,
  schema: z.ZodType<T>,
  updatesOf: (value: T) => AgentUpdate[],
): AgentUpdate[] {
  const value = jsonOf(line);
  const text = line.trim();
  if (value === undefined) return text === "" || text.startsWith("{") ? [] : [{ type: "message", text }];
  const parsed = schema.safeParse(value);
  return parsed.success ? updatesOf(parsed.data) : [];
}

/** A field of any type: a wrong type does not reject the line. */
export const optionalText = z.string().nullish().catch(undefined);
/** A whole number: the journal takes no other. */
export const optionalCount = z.int().nonnegative().nullish().catch(undefined);

const summaryKeys = "command file_path filePath pattern dir_path path url verdict description".split(" ");

/** The target of a tool on one short line; undefined if the input names none. */
export function summaryOf(input: Readonly<Record<string, unknown>>): string | undefined {
  const key = summaryKeys.find((name) => typeof input[name] === "string");
  return key === undefined ? undefined : plainLine(String(input[key]));
}

/** A module next to that of `url`, in the source and in the build. */
export function besideOf(url: string, name: string): string {
  return new URL(`./${name}.${url.endsWith(".ts") ? "ts" : "js"}`, url).href;
}

/** The program of an adapter, in its own folder. */
export function programOf(url: string): string {
  return fileURLToPath(besideOf(url, "program"));
}
