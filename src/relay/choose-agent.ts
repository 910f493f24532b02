/** Who plays a role: the first agent of its list whose program is installed. */
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { Agent, AgentSettings } from "../agents/agent.ts";
import { MonocoError } from "../core/error.ts";
import type { Role } from "../core/event.ts";
import { agentSettings } from "../core/settings.ts";
import type { Settings } from "../core/settings.ts";
import type { RelaySetup } from "./relay.ts";

type Chosen = { name: string; agent: Agent; settings: AgentSettings };

/** The first agent of the role's list whose program is there. Throws `agent` when none is. */
export function chooseAgent(relay: RelaySetup, settings: Settings, role: Role): Chosen {
  const missing: string[] = [];
  for (const name of settings.roles[role].agents) {
    const entry = agentSettings(settings, name);
    const agent = relay.edges.agents[entry.kind];
    const own = { ...entry, ...absolute(relay, entry) };
    const program = agent.program(own);
    if (!program || isOnPath(program.name, relay.env["PATH"] ?? "")) return { name, agent, settings: own };
    missing.push(`${program.name} (${program.install})`);
  }
  throw new MonocoError("agent", `no agent for the ${role} is installed: ${missing.join("; ")}`, {
    hint: `install one of them, or name another in monoco.yaml: roles: { ${role}: { agents: […] } }`,
  });
}

/** A relative path of a program or script is the person's, beside monoco.yaml; never the workspace's. */
function absolute(relay: RelaySetup, entry: AgentSettings): Partial<AgentSettings> {
  const from = (path: string): string => (isAbsolute(path) ? path : resolve(relay.repository.root, path));
  const [program, ...rest] = entry.run ?? [];
  return {
    ...(program?.includes("/") ? { run: [from(program), ...rest] } : {}),
    ...(entry.script === undefined ? {} : { script: from(entry.script) }),
  };
}

function isOnPath(program: string, path: string): boolean {
  if (program.includes("/")) return existsSync(program);
  return path.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, program)));
}
