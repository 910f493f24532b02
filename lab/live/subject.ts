/** What the live tests know of a vendor: its pinned CLI and adapter, its home, its scripted model, and how its streams are recorded. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PinnedAgent } from "../../scripts/agents.ts";
import type { Agent, AgentSettings } from "../../src/index.ts";
import type { ModelRequest, ModelScript, ModelServer, Turn } from "../../src/probe/scripted-model.ts";
import type { Vendor } from "../../src/probe/vendor.ts";
import { cleanEnvironment } from "./environment.ts";
import { installedDirs } from "./installed.ts";

export type Homes = { home: string; modelUrl: string };

/** How a person has the CLI. `Config` is in its own form: what its settings have besides the scripted model. */
export type Setup<Config = unknown> = { login?: "no key" | "never" | "subscription"; config?: Config };

/** `T` is a turn of its API, `R` a request to it. */
export type Subject<T extends Turn = Turn, Config = unknown, R extends ModelRequest = ModelRequest> = {
  name: PinnedAgent;
  adapter: Agent;
  /** Its entry in monoco.yaml. */
  settings: AgentSettings;
  vendor: Omit<Vendor, "startModel">;
  start(script: ModelScript<T, R>): Promise<ModelServer<R>>;
  /** Writes the files of its home; the variables of its environment besides those that all CLIs get. */
  environment(homes: Homes, setup: Setup<Config>): Record<string, string>;
  /** Far below what the CLI takes without monoco's limits, far above what it takes here. */
  secondsMax: number;
  /** Keeps a stream for the offline suite, without what differs from run to run. */
  record(name: string, lines: readonly string[]): void;
};

export function dirOf({ name }: Pick<Subject, "name">): string | undefined {
  return installedDirs[name];
}

/** The whole environment of a subject's CLI. */
export function environmentOf<Config>(
  { name, environment }: Pick<Subject<Turn, Config>, "name" | "environment">,
  homes: Homes,
  setup: Setup<Config> = {},
): Record<string, string> {
  return { ...cleanEnvironment(homes.home, installedDirs[name] ?? ""), ...environment(homes, setup) };
}

const recorded = join(import.meta.dirname, "../../test/agents/recorded");

/** Keeps a stream by this name where the offline suite has one. */
export function recordAgain(
  { settings, record }: Pick<Subject, "settings" | "record">,
  name: string,
  lines: readonly string[],
): void {
  if (existsSync(join(recorded, settings.kind, `${name}.jsonl`))) record(name, lines);
}
