/** Chooses the agent of a role: the first of its list whose program exists and, with a money budget, whose cost is known. */
import { isAbsolute, resolve } from "node:path";
import type { Agent, AgentSettings } from "../agents/agent.ts";
import { isFile, isOnPath } from "../agents/environment.ts";
import { MonocoError } from "../core/error/error.ts";
import type { Role } from "../core/settings/agent-kinds.ts";
import type { Players } from "../core/relay/players.ts";
import { moneyBudget, priceOf } from "../core/settings/price.ts";
import { agentSettings } from "../core/settings/agent-entry.ts";
import type { Settings } from "../core/settings/settings.ts";
import { isSandbox } from "../core/report/sandbox.ts";
import { needsOf } from "./home/agent-home.ts";
import { containmentBy } from "./sandbox.ts";
import type { RunnerSetup } from "./relay.ts";
import { t } from "../core/language/translate.ts";

type Chosen = { name: string; agent: Agent; settings: AgentSettings };

/** The usable agents of each role's list. */
export function installedPlayers(relay: RunnerSetup, settings: Settings): Players {
  const installed = (role: Role): string[] =>
    settings.roles[role].agents.filter((name) => !whyNot(relay, settings, chosen(relay, settings, name)));
  return { executor: installed("executor"), reviewer: installed("reviewer") };
}

/**
 * The first usable agent of `names`, or of the role's list. Throws `agent` if there is none, `input` if its settings are
 * invalid.
 */
export function chooseAgent(
  relay: RunnerSetup,
  settings: Settings,
  { role, names }: { role: Role; names: readonly string[] },
): Chosen {
  const missing: string[] = [];
  const usable: Chosen[] = [];
  for (const name of names.length > 0 ? names : settings.roles[role].agents) {
    const candidate = chosen(relay, settings, name);
    const why = whyNot(relay, settings, candidate);
    if (why === undefined) usable.push(candidate);
    else missing.push(why);
  }
  const [first] = usable;
  if (first) {
    first.agent.check?.(first.settings);
    // Another one may take over.
    if (isSandbox(containmentBy(settings, role)))
      for (const one of usable) needsOf(relay, settings, one.settings);
    return first;
  }
  throw new MonocoError("agent", t`no agent for the ${role} can be used: ${missing.join("; ")}`, {
    hint: t`install one of them or set what it lacks, or name another in monoco.yaml: roles: { ${role}: { agents: […] } }`,
  });
}

function chosen(relay: RunnerSetup, settings: Settings, name: string): Chosen {
  const entry = agentSettings(settings, name);
  return {
    name,
    agent: relay.agents[entry.kind],
    settings: { ...entry, ...absolute(relay, name, entry) },
  };
}

/** Why an agent cannot be used, with the remedy; undefined if it can. */
function whyNot(relay: RunnerSetup, settings: Settings, candidate: Chosen): string | undefined {
  const program = missingProgram(relay, candidate);
  if (program) return `${program.name} (${program.install})`;
  const budget = moneyBudget(settings);
  const { name, agent } = candidate;
  const { model } = candidate.settings;
  if (budget === undefined || !agent.tellsNoCost || priceOf(settings, model)) return undefined;
  const todo =
    model === undefined ? t`agents.${name}.model and the model's entry under prices:` : `prices.${model}`;
  return t`${name} (it reports no cost, and ${budget} is set: set ${todo}, or a budget in tokens instead)`;
}

/** The missing program with the remedy; undefined if nothing is missing. */
function missingProgram(relay: RunnerSetup, { agent, settings }: Chosen): ReturnType<Agent["program"]> {
  const { script } = settings;
  if (script !== undefined && !isFile(script)) return { name: script, install: t`the script does not exist` };
  const program = agent.program(settings);
  if (!program || isOnPath(program.name, relay.env["PATH"] ?? "")) return undefined;
  return isFile(program.name) ? { ...program, install: t`it is not executable: chmod +x` } : program;
}

/**
 * Resolves a program's or script's relative path from the folder of monoco.yaml, not from the workspace, where agents write.
 */
function absolute(relay: RunnerSetup, name: string, entry: AgentSettings): Partial<AgentSettings> {
  const { checkout: root } = relay.repository;
  const [program, ...rest] = entry.run ?? [];
  const run = program && [
    program.includes("/") ? resolve(root, program) : program,
    ...rest.map((argument) => {
      if (/^\.\.?\//.test(argument)) return resolve(root, argument);
      if (isFile(resolve(root, argument)) && !isAbsolute(argument)) throw ambiguous(name, argument);
      return argument;
    }),
  ];
  return {
    ...(run ? { run } : {}),
    ...(entry.script === undefined ? {} : { script: resolve(root, entry.script) }),
  };
}

/**
 * The error for an argument like that of `node agent.mjs`, which would run the workspace's copy: an Executor could change its
 * own program, and its Reviewer's.
 */
function ambiguous(name: string, argument: string): MonocoError {
  const message = t`monoco.yaml: agents.${name}.run: ${argument} is a file of the repository`;
  return new MonocoError("input", message, {
    hint: t`write ./${argument} for your own, beside monoco.yaml; name it in args: where the copy that the agent works on is meant`,
  });
}
