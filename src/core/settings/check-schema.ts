/** The schema of checks in monoco.yaml: commands whose exit status is evidence, each with a variant for single test files. */
import { z } from "zod";
import { t } from "../language/translate.ts";
import { filesPlace } from "../text/shell.ts";
import { command } from "./agent-schema.ts";

const selectable = z.strictObject({
  run: command,
  select: command.refine((text) => text.includes(filesPlace), {
    error: () => t`expected ${filesPlace} in it`,
  }),
});

export const checksSchema = z
  .array(
    z.union([command, selectable], {
      error: () => t`write a command, or a map like { run: "npm test", select: "node --test {files}" }`,
    }),
  )
  .default([]);

type Checks = z.infer<typeof checksSchema>;

export function checkCommands(checks: Checks): string[] {
  return checks.map((check) => (typeof check === "string" ? check : check.run));
}

/** By check, its command for single test files, which replace `{files}`. */
export function selectsOf(checks: Checks): Map<string, string> {
  return new Map(checks.flatMap((check) => (typeof check === "string" ? [] : [[check.run, check.select]])));
}
