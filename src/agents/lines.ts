/** What the adapters share: lines of JSON from a program whose next version may say more, or say it otherwise. */
import { fileURLToPath } from "node:url";
import { jsonOf } from "../core/error/attempt.ts";
import { z } from "zod";
import type { AgentUpdate } from "../core/session/update.ts";
import { plainLine } from "../core/text/sanitize.ts";

/** What a line of JSON says by its schema. A line that is none costs little: a schema makes an error, with its stack, of each that it refuses. */
export function saidIn<T>(line: string, schema: z.ZodType<T>): T | undefined {
  const value = "{[".includes(line.trimStart()[0] ?? "?") ? jsonOf(line) : undefined;
  return value === undefined ? undefined : schema.safeParse(value).data;
}

/** Reads a line by its schema; an unknown one gives no update. Broken JSON is ignored; any other text is passed on. */
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

/** A field that may have any shape: its line is kept. */
export const optionalText = z.string().nullish().catch(undefined);
/** Figures go into the journal, which takes whole ones only. */
export const optionalCount = z.int().nonnegative().nullish().catch(undefined);

const summaryKeys = "command file_path filePath pattern dir_path path url verdict description".split(" ");

/** One short line: what a tool is used on; undefined where none of its input says that. */
export function summaryOf(input: Readonly<Record<string, unknown>>): string | undefined {
  const key = summaryKeys.find((name) => typeof input[name] === "string");
  return key === undefined ? undefined : plainLine(String(input[key]));
}

/** A module beside that of `url`, in the source and in what is built from it. */
export function besideOf(url: string, name: string): string {
  return new URL(`./${name}.${url.endsWith(".ts") ? "ts" : "js"}`, url).href;
}

/** The program of an adapter, in its own folder. */
export function programOf(url: string): string {
  return fileURLToPath(besideOf(url, "program"));
}
