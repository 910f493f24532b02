/** Reports the agents that monoco knows, as found on this machine: program, version, login, roles. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { loginPlaces } from "../../agents/logins.ts";
import { agents } from "../../agents/registry.ts";
import { conclude } from "../../core/session/probe.ts";
import type { Conclusion } from "../../core/session/probe.ts";
import { agentsKnown } from "../../core/settings/agent-entry.ts";
import type { AgentEntry } from "../../core/settings/agent-schema.ts";
import { roles } from "../../core/settings/agent-kinds.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { homeFolder, io } from "../../io/io.ts";
import { knownProbe } from "../../store/probes.ts";
import { findProgram, versionOf } from "../agents.ts";

/** The schema of `agent list --json`, one agent. */
export type AgentReport = {
  name: string;
  kind: string;
  /** The program's path; null if it was not found, or ships with monoco. */
  path: string | null;
  found: boolean;
  /** How to install a program that was not found. */
  install: string | null;
  version: string | null;
  /** The variable or file that looks like a login. Null if none was seen, or none is needed. */
  login: string | null;
  /** The conclusion of `agent probe` on this very program; null if it was not probed. */
  probed: Conclusion | null;
  /** The roles whose lists name the agent. */
  roles: string[];
};

/** Reports every agent in these settings. */
export function agentReports(
  settings: Settings,
  root: string,
  isAsked = (_name: string): boolean => true,
): Promise<AgentReport[]> {
  const entries = Object.entries(agentsKnown(settings)).filter(([name]) => isAsked(name));
  return Promise.all(entries.map(([name, entry]) => reportOn({ name, entry, settings, root })));
}

async function reportOn(of: {
  name: string;
  entry: AgentEntry;
  settings: Settings;
  root: string;
}): Promise<AgentReport> {
  const { name, entry, settings, root } = of;
  const program = agents[entry.kind].program(entry);
  const path = program ? findProgram(program.name, root) : undefined;
  const found = program === undefined || path !== undefined;
  const probe = path === undefined ? undefined : knownProbe(io().env, entry.kind, path);
  return {
    name,
    kind: entry.kind,
    path: path ?? null,
    found,
    install: found ? null : program.install,
    version: path !== undefined && entry.run === undefined ? (await versionOf(path, entry)).said : null,
    login: loginSeen(entry),
    probed: probe ? conclude(probe.findings).conclusion : null,
    roles: roles.filter((role) => settings.roles[role].agents.includes(name)),
  };
}

/** The first variable that is set, or file that exists; never reads its contents. */
function loginSeen({ kind, env }: AgentEntry): string | null {
  const places = loginPlaces(kind);
  const variable = places.env.find((name) => env?.[name] ?? io().env[name]);
  if (variable !== undefined) return variable;
  const file = places.files.find((name) => existsSync(join(homeFolder(), name)));
  return file === undefined ? null : `~/${file}`;
}
