/** The workflow files of a CI service, as this monoco would write them, beside those of this worktree. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loginPlaces } from "../../agents/logins.ts";
import { agents } from "../../agents/registry.ts";
import { sandboxCommands } from "../../core/doctor/runner.ts";
import { agentSettings } from "../../core/settings/agent-entry.ts";
import { roles } from "../../core/settings/agent-kinds.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { fillTemplate } from "../../core/text/template.ts";
import { isThere, readDocument } from "../../store/document.ts";
import { packageRoot, readOwnOrShipped } from "../documents.ts";
import type { Here } from "../here.ts";

export const ciHosts = ["github", "gitlab"] as const;
export type CiHost = (typeof ciHosts)[number];

/** `stale`: an older monoco, or other settings, wrote the file. `changed`: somebody has changed it since. */
export type Workflow = { path: string; text: string; is: "missing" | "current" | "stale" | "changed" };

const filesOf: Readonly<Record<CiHost, readonly (readonly [template: string, path: string])[]>> = {
  github: [["github.yml", ".github/workflows/monoco.yml"]],
  gitlab: [
    ["gitlab.yml", ".gitlab/monoco.yml"],
    ["gitlab-work.yml", ".gitlab/monoco-work.yml"],
  ],
};

export function workflowsOf({ repository }: Here, settings: Settings, host: CiHost): Workflow[] {
  return filesOf[host].map(([name, path]) => {
    const template = readOwnOrShipped(repository.worktree, "templates", [join("ci", name)]);
    const known = Object.entries(valuesFor(settings)).filter(([key]) => template.text.includes(`{{${key}}}`));
    const body = fillTemplate(template.text, Object.fromEntries(known), template.path);
    const text = `${stampOf(body)}\n${body}`;
    const there = join(repository.worktree, path);
    return { path, text, is: isThere(there) ? standingOf(readDocument(there), text) : "missing" };
  });
}

/** The first line names a hash of the others, which shows a change by hand. */
const stampOf = (body: string): string =>
  `# monoco init --ci wrote this file (${hash("sha256", body).slice(0, 12)}).`;

function standingOf(now: string, text: string): Workflow["is"] {
  if (now === text) return "current";
  const end = now.indexOf("\n");
  return now.slice(0, end) === stampOf(now.slice(end + 1)) ? "stale" : "changed";
}

/** Secrets by agent, for those that take none from a variable by themselves. */
const codexKey = "OPENAI_API_KEY";

function valuesFor(settings: Settings): Record<string, string> {
  const firsts = roles.flatMap((role) => settings.roles[role].agents.slice(0, 1));
  const entries = [...new Set(firsts)].map((name) => agentSettings(settings, name));
  const packages = entries.flatMap((entry) => {
    const { install = "" } = agents[entry.kind].program(entry) ?? {};
    return install.startsWith(npmInstall) ? [install.slice(npmInstall.length)] : [];
  });
  const keys = entries.flatMap(({ kind }) =>
    kind === "codex" ? codexKey : (loginPlaces(kind).env[0] ?? []),
  );
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
    version: string;
  };
  return {
    version,
    base: JSON.stringify(settings.base),
    label: `'${settings.intake.label.replaceAll("'", "''")}'`,
    sandbox: sandboxCommands,
    agents: [...new Set(packages)].map((name) => ` ${name}`).join(""),
    keys: [...new Set(keys)].map((key) => `          ${key}: \${{ secrets.${key} }}`).join("\n") || noKeys,
    login: keys.includes(codexKey) ? `printenv ${codexKey} | codex login --with-api-key\n          ` : "",
  };
}

const npmInstall = "npm install -g ";
const noKeys = "          # The agents of monoco.yaml need no key that monoco knows of.";
