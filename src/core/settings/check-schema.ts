/** The schemas of checks in monoco.yaml, commands whose exit status is evidence, and of the variables that they get. */
import { z } from "zod";
import { t } from "../language/translate.ts";
import { filesPlace } from "../text/shell.ts";
import { command, variable } from "./agent-schema.ts";
import { setting } from "./setting.ts";

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

const names = () => z.array(variable).default([]);

export const envSchema = z.strictObject({
  setup: setting(
    names(),
    "variables of your environment that `setup` gets: `[NPM_TOKEN]`; [docs/safety.md](safety.md#variables-for-set-up-and-checks)",
  ),
  checks: setting(
    names(),
    "variables of your environment that checks get, and sessions with them: `[DATABASE_URL]`. Agents write what a check runs, so they can read them",
  ),
});

type Checks = z.infer<typeof checksSchema>;

export function checkCommands(checks: Checks): string[] {
  return checks.map((check) => (typeof check === "string" ? check : check.run));
}

/** By check, its command for single test files, which replace `{files}`. */
export function selectsOf(checks: Checks): Map<string, string> {
  return new Map(checks.flatMap((check) => (typeof check === "string" ? [] : [[check.run, check.select]])));
}
