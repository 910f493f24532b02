/** The settings in force for a command: its flags, the environment, monoco.yaml, the user's own file, defaults. */
import { join, relative, resolve } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { readSettings } from "../core/settings/file.ts";
import { placeOf, settle } from "../core/settings/layers.ts";
import type { Origin, Settled, Source } from "../core/settings/layers.ts";
import { readFlags, readVariables } from "../core/settings/env-and-flags.ts";
import { policySchema, projectSchema, settingsSchema } from "../core/settings/settings.ts";
import type { Settings } from "../core/settings/settings.ts";
import { isThere, readDocument } from "../store/document.ts";
import type { Here } from "./here.ts";
import { homeFolder, io } from "../io/io.ts";
import { t } from "../core/language/translate.ts";

/** The settings on a command line. */
export type SettingsFlags = {
  set?: readonly string[];
  agent?: string | undefined;
  /** The path of a policy file: stronger than all files, weaker than single settings. */
  policy?: string | undefined;
};

/** The settings with the source of each. Throws `input`, naming the flag, variable or line, for an invalid setting. */
export function settledHere(here: Here, flags: SettingsFlags = {}): Settled {
  const settled = settle([
    ...agentFlag(flags.agent),
    readFlags(flags.set ?? []),
    readVariables(io().env),
    ...policyFlag(here, flags.policy),
    ...projectFile(here),
    ...userFile(),
  ]);
  return flags.policy === undefined ? settled : { ...settled, policy: flags.policy };
}

/** The settings outside any repository. */
export function loadOwnSettings(): Settings {
  return settle([readVariables(io().env), ...userFile()]).settings;
}

export function loadSettings(here: Here): Settings {
  return settledHere(here).settings;
}

function agentFlag(agent: string | undefined): Source[] {
  if (agent === undefined) return [];
  return [
    {
      values: { roles: { executor: { agents: [agent] } } },
      at: () => ({ from: "flag", where: "--agent" }),
    },
  ];
}

function policyFlag(here: Here, policy: string | undefined): Source[] {
  if (policy === undefined) return [];
  const at: Origin = { from: "flag", where: "--policy" };
  return [policyFile(here.cwd, policy, at)];
}

/** The worktree's monoco.yaml, and below it the policy file that it extends. */
function projectFile(here: Here): Source[] {
  const path = join(here.repository.worktree, "monoco.yaml");
  if (!isThere(path)) return [];
  const text = readDocument(path);
  const project = readSettings({ text, file: "monoco.yaml", from: "project", schema: projectSchema });
  const { extends: policy, ...values } = project.values;
  const below =
    typeof policy === "string" ? [policyFile(here.repository.worktree, policy, project.at(["extends"]))] : [];
  return [{ ...project, values }, ...below];
}

/** A relative path is resolved from `folder`: that of monoco.yaml, or the current one. */
function policyFile(folder: string, file: string, at: Origin): Source {
  const path = resolve(folder, file);
  if (!isThere(path)) {
    throw new MonocoError("input", t`${placeOf(at)}: no such policy file: ${file}`, {
      hint: t`name a policy file, beside monoco.yaml or by its whole path`,
    });
  }
  return readSettings({ text: readDocument(path), file, from: "policy", schema: policySchema });
}

/** The user's settings for every repository. */
function userFile(): Source[] {
  const home = homeFolder();
  const path = join(io().env["XDG_CONFIG_HOME"] || join(home, ".config"), "monoco", "config.yaml");
  if (!isThere(path)) return [];
  const below = relative(home, path);
  const file = below.startsWith("..") ? path : `~/${below}`;
  return [readSettings({ text: readDocument(path), file, from: "user", schema: settingsSchema })];
}
