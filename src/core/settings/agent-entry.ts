/** An agent by its name: its entry under `agents:` in monoco.yaml, or the one that is built in. */
import { agentKinds, vendors } from "./agent-kinds.ts";
import { MonocoError } from "../error/error.ts";
import type { AgentEntry } from "./agent-schema.ts";
import { t } from "../language/translate.ts";

/** The part of the settings that names agents. */
type Agents = { agents: Readonly<Record<string, AgentEntry>> };

/** Agents that need no entry under `agents:`. */
const builtInAgents: Agents["agents"] = Object.fromEntries(vendors.map((kind) => [kind, { kind }]));

/** The entry of the agent called `name`; an `input` error where there is none. */
export function agentSettings(settings: Agents, name: string, where = "monoco.yaml"): AgentEntry {
  const entry = findAgent(settings, name);
  if (!entry) {
    const known = [...new Set([...Object.keys(settings.agents), ...Object.keys(builtInAgents)])].join(", ");
    throw new MonocoError("input", t`${where}: no agent is called "${name}"`, {
      hint: t`known agents: ${known}; define it under agents: with a kind (${agentKinds.join(", ")})`,
    });
  }
  return entry;
}

/** All agents by name: those built in, in their order, then those of the settings. */
export function agentsKnown(settings: Agents): Agents["agents"] {
  return { ...builtInAgents, ...settings.agents };
}

/** The entry of the agent called `name`, written or built in; undefined where there is none. */
export function findAgent(settings: Agents, name: string): AgentEntry | undefined {
  return own(settings.agents, name) ?? own(builtInAgents, name);
}

/** Names come from people: `constructor` is no agent. */
function own(agents: Agents["agents"], name: string): AgentEntry | undefined {
  return Object.hasOwn(agents, name) ? agents[name] : undefined;
}
