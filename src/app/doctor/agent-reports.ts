/** The agents that monoco knows here, as they are found on this machine: program, version, login, roles. */
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
  /** Where its program was found; null where it is not, or where it ships with monoco. */
  path: string | null;
  found: boolean;
  /** How to get a program that was not found. */
  install: string | null;
  version: string | null;
  /** By what it seems to be logged in: a variable's or a file's name. Null where nothing was seen, or no login is needed. */
  login: string | null;
  /** What `agent probe` concluded of this very program; null where it was not probed. */
  probed: Conclusion | null;
  /** The roles whose lists name it. */
  roles: string[];
};

/** Every agent that these settings know, as it is found on this machine. */
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
  const known = path === undefined ? undefined : knownProbe(io().env, entry.kind, path);
  return {
    name,
    kind: entry.kind,
    path: path ?? null,
    found,
    install: found ? null : program.install,
    version: path !== undefined && entry.run === undefined ? (await versionOf(path, entry)).said : null,
    login: loginSeen(entry),
    probed: known ? conclude(known.findings).conclusion : null,
    roles: roles.filter((role) => settings.roles[role].agents.includes(name)),
  };
}

/** Looks whether a variable is set or a file is there; never into it. */
function loginSeen({ kind, env }: AgentEntry): string | null {
  const places = loginPlaces(kind);
  const variable = places.env.find((name) => env?.[name] ?? io().env[name]);
  if (variable !== undefined) return variable;
  const file = places.files.find((name) => existsSync(join(homeFolder(), name)));
  return file === undefined ? null : `~/${file}`;
}
