/** Reports the agents that monoco knows, as found on this machine: program, version, login, roles. */
import { lacksLogin, loginSeen } from "../../agents/logins.ts";
import { agents, oldest } from "../../agents/registry.ts";
import { conclude } from "../../core/session/probe.ts";
import { isOlder } from "../../core/session/version.ts";
import type { Conclusion } from "../../core/session/probe.ts";
import { agentsKnown, agentSettings } from "../../core/settings/agent-entry.ts";
import type { AgentEntry } from "../../core/settings/agent-schema.ts";
import { roles } from "../../core/settings/agent-kinds.ts";
import { unpriced } from "../../core/settings/price.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";
import { knownProbe } from "../../store/probes.ts";
import { findProgram, versionOf } from "../agents.ts";

/** The schema of `agent list --json`, one agent. */
export type AgentReport = {
  name: string;
  kind: string;
  /** The program's path; null if it was not found, or ships with monoco. */
  path: string | null;
  found: boolean;
  /** How to install a program that was not found, or to update one that is too old. */
  install: string | null;
  version: string | null;
  /** The version that its adapter needs, if this one is older: no run uses it. */
  least: string | null;
  /** The variable or file that looks like a login. Null if none was seen, or none is needed. */
  login: string | null;
  /** Why no run uses it under these settings; null if one does. */
  unused: string | null;
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
  const version = path !== undefined && entry.run === undefined ? (await versionOf(path, entry)).said : null;
  const least = oldest[entry.kind] ?? "";
  const isOld = isOlder(version ?? "", least);
  const probe = path === undefined ? undefined : knownProbe(io().env, entry.kind, path);
  return {
    name,
    kind: entry.kind,
    path: path ?? null,
    found,
    install: (!found || isOld ? program?.install : null) ?? null,
    version,
    least: isOld ? least : null,
    login: loginSeen(entry, io().env),
    unused: unusedWhy(settings, name, entry),
    probed: probe ? conclude(probe.findings).conclusion : null,
    roles: roles.filter((role) => settings.roles[role].agents.includes(name)),
  };
}

/** By agent of a role that is installed, why a run does not use it, or tries it last. */
export function setBack(settings: Settings, root: string): string[] {
  const { env } = io();
  const said = roles.flatMap((role) => {
    const found = settings.roles[role].agents.flatMap((name) => {
      const entry = agentSettings(settings, name);
      const program = agents[entry.kind].program(entry);
      if (program && findProgram(program.name, root) === undefined) return [];
      return [{ name, unused: unusedWhy(settings, name, entry), last: lacksLogin(entry, env) }];
    });
    const used = found.filter(({ unused }) => unused === null);
    // The run's error says why.
    if (used.length === 0) return [];
    return [
      ...found.flatMap(({ name, unused }) => (unused === null ? [] : [t`${name} is not used: ${unused}`])),
      ...used.flatMap(({ name, last }, index) =>
        last && used.slice(index).some((one) => !one.last)
          ? [t`${name} is tried last: no login of it is seen`]
          : [],
      ),
    ];
  });
  return [...new Set(said)];
}

function unusedWhy(settings: Settings, name: string, { kind, model }: AgentEntry): string | null {
  const why = agents[kind].tellsNoCost ? unpriced(settings, { name, model }) : undefined;
  return why ? `${why.said}: ${why.remedy}` : null;
}
