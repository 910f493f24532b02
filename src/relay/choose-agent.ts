/**
 * Chooses the agent of a role: the first of its list whose program exists, whose cost is known if money is budgeted, and that can
 * take over; those without a login last.
 */
import { isAbsolute, resolve } from "node:path";
import type { Agent, AgentSettings } from "../agents/agent.ts";
import { isFile, isOnPath } from "../agents/environment.ts";
import { lacksLogin } from "../agents/logins.ts";
import { MonocoError } from "../core/error/error.ts";
import { roles } from "../core/settings/agent-kinds.ts";
import type { Role } from "../core/settings/agent-kinds.ts";
import type { Players } from "../core/relay/players.ts";
import { unpriced } from "../core/settings/price.ts";
import { agentSettings } from "../core/settings/agent-entry.ts";
import type { Settings } from "../core/settings/settings.ts";
import { isSandbox } from "../core/report/sandbox.ts";
import type { RefusedAgent } from "../core/home/home-files.ts";
import { needsOf } from "./home/agent-home.ts";
import { containmentBy } from "./sandbox.ts";
import type { RunnerSetup } from "./relay.ts";
import { t } from "../core/language/translate.ts";

type Chosen = { name: string; agent: Agent; settings: AgentSettings };

/** `missing`: what it lacks, with the remedy. `refusal`: no session may start with its settings. */
type Candidate = Chosen & { missing: string | undefined; refusal: MonocoError | undefined };

/** The usable agents of each role's list. */
export function installedPlayers(relay: RunnerSetup, settings: Settings): Players {
  const installed = (role: Role): string[] =>
    playing(candidatesFor(relay, settings, role)).map(({ name }) => name);
  return { executor: installed("executor"), reviewer: installed("reviewer") };
}

/** The agents that cannot take over from the first of a role's list, since their settings are refused. */
export function fallbacksRefused(relay: RunnerSetup, settings: Settings): RefusedAgent[] {
  const refused = roles.flatMap((role) => {
    const all = candidatesFor(relay, settings, role).filter(({ missing }) => missing === undefined);
    return all.filter((one) => !playing(all).includes(one));
  });
  return [...new Map(refused.map(({ name, refusal }) => [name, refusal]))].map(([agent, refusal]) => ({
    agent,
    said: refusal?.message ?? "",
    hint: refusal?.hint ?? "",
  }));
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
  const all = candidatesFor(relay, settings, role);
  const among = names.length > 0 ? names.flatMap((name) => all.filter((one) => one.name === name)) : all;
  const first = among.find((one) => playing(all).includes(one));
  if (first && !first.refusal) return first;
  const refused = all.filter(({ refusal }) => refusal !== undefined);
  if (first?.refusal && (refused.length === 1 || playing(all).length > 1)) throw first.refusal;
  const [why] = refused;
  const whys = (why ? refused : among).map(
    ({ name, missing, refusal }) => missing ?? `${name}: ${refusal?.message}`,
  );
  throw new MonocoError(
    why ? "input" : "agent",
    t`no agent for the ${role} can be used: ${whys.join("; ")}`,
    {
      hint:
        why?.refusal?.hint ??
        t`install one of them or set what it lacks, or name another in monoco.yaml: roles: { ${role}: { agents: […] } }, or by --set roles.${role}.agents=[…] where an earlier run of the relay named it`,
    },
  );
}

/** The role's list; agents of which no login is seen come last, unless that made one the first that is refused. */
function candidatesFor(relay: RunnerSetup, settings: Settings, role: Role): Candidate[] {
  const listed = settings.roles[role].agents.map((name) => {
    const one = chosen(relay, settings, name);
    const missing = whyNot(relay, settings, one);
    const refusal = missing === undefined ? refusalOf(relay, settings, { role, one }) : undefined;
    return { ...one, missing, refusal };
  });
  const rank = (one: Candidate): number => Number(lacksLogin(one.settings, relay.env));
  const ranked = listed.toSorted((one, other) => rank(one) - rank(other));
  const [first] = playing(listed);
  return playing(ranked)[0]?.refusal && !first?.refusal ? listed : ranked;
}

/** The first that lacks nothing, and those that can take over from it. */
function playing(all: readonly Candidate[]): Candidate[] {
  const [first, ...others] = all.filter(({ missing }) => missing === undefined);
  return first ? [first, ...others.filter(({ refusal }) => refusal === undefined)] : [];
}

function refusalOf(
  relay: RunnerSetup,
  settings: Settings,
  { role, one }: { role: Role; one: Chosen },
): MonocoError | undefined {
  try {
    one.agent.check?.(one.settings);
    if (isSandbox(containmentBy(settings, role))) needsOf(relay, settings, one.settings);
    return undefined;
  } catch (error) {
    if (error instanceof MonocoError) return error;
    throw error;
  }
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
  const { name, agent } = candidate;
  const { model } = candidate.settings;
  const why = agent.tellsNoCost ? unpriced(settings, { name, model }) : undefined;
  return why && `${name} (${why.said}: ${why.remedy})`;
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
