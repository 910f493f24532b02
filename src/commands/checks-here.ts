/** The checks of the current folder outside a session: monoco.yaml's, and those of a named issue. */
import { checkCommands } from "../core/settings/check-schema.ts";
import { parseIssue } from "../core/issue/issue.ts";
import { idOrHere, openHere } from "../app/here.ts";
import { loadSettings } from "../app/settings.ts";
import { findIssueOnBase } from "../app/wire.ts";

export type Checks = {
  folder: string;
  commands: readonly string[];
  minutes: number;
  shell: string | readonly string[] | undefined;
};

export async function checksHere(id: string | undefined): Promise<Checks> {
  const here = await openHere();
  const settings = loadSettings(here);
  const checks = checkCommands(settings.checks);
  const { shell, limits } = settings;
  const minutes = limits.checkMinutes;
  const folder = here.repository.worktree;
  const issue = id ?? (await idOrHere(here, undefined).catch(() => undefined));
  if (issue === undefined) return { folder, commands: checks, minutes, shell };
  const { path, text } = await findIssueOnBase(here, await idOrHere(here, issue), settings.base);
  return { folder, commands: [...new Set([...checks, ...parseIssue(text, path).checks])], minutes, shell };
}
