/** Finds an agent by name: its entry under `agents:` in monoco.yaml, or a built-in one. */
import { agentKinds, vendors } from "./agent-kinds.ts";
import { MonocoError } from "../error/error.ts";
import type { AgentEntry } from "./agent-schema.ts";
import { t } from "../language/translate.ts";

/** The part of the settings with the agents. */
type Agents = { agents: Readonly<Record<string, AgentEntry>> };

/** The agents that need no entry under `agents:`. */
const builtInAgents: Agents["agents"] = Object.fromEntries(vendors.map((kind) => [kind, { kind }]));

/** The entry of the agent `name`; throws `input` if there is none. */
export function agentSettings(settings: Agents, name: string, where = "monoco.yaml"): AgentEntry {
  const entry = findAgent(settings, name);
  if (!entry) {
    const names = [...new Set([...Object.keys(settings.agents), ...Object.keys(builtInAgents)])].join(", ");
    throw new MonocoError("input", t`${where}: no agent is called "${name}"`, {
      hint: t`known agents: ${names}; define it under agents: with a kind (${agentKinds.join(", ")})`,
    });
  }
  return entry;
}

/** All agents by name: the built-in ones in order, then those of the settings. */
export function agentsKnown(settings: Agents): Agents["agents"] {
  return { ...builtInAgents, ...settings.agents };
}

/** The entry of the agent `name`, written or built in; undefined if there is none. */
export function findAgent(settings: Agents, name: string): AgentEntry | undefined {
  return own(settings.agents, name) ?? own(builtInAgents, name);
}

/** Looks up own properties only, since people choose the names: `constructor` is no agent. */
function own(agents: Agents["agents"], name: string): AgentEntry | undefined {
  return Object.hasOwn(agents, name) ? agents[name] : undefined;
}
