/** The command that resumes a relay with the flags of its last run: without them other settings would be in force. */
import type { RelayState } from "../core/journal/relay-state.ts";
import { valueAt } from "../core/settings/values.ts";
import type { Settings } from "../core/settings/settings.ts";
import { shellWord } from "../core/text/shell.ts";

type Opened = Pick<RelayState, "opening">;

export function resumeCommand(state: Opened): string {
  return ["monoco resume", state.opening?.issue ?? "ID", ...flagsOf(state)].join(" ");
}

/** The flags on the command line that set the settings in force. */
function flagsOf({ opening }: Opened): string[] {
  if (!opening) return [];
  const { settings, origins = {}, policy } = opening;
  const by = (flag: string): string[] => Object.keys(origins).filter((key) => origins[key] === flag);
  return [
    ...by("--agent").flatMap(() => ["--agent", settings.roles.executor.agents[0] ?? ""]),
    ...by("--set").flatMap((key) => ["--set", `${key}=${inFlag(settings, key.split("."))}`]),
    ...(policy === undefined ? [] : ["--policy", policy]),
  ].map(shellWord);
}

/** A setting's value. Hides an agent's environment, which may hold secrets. */
function inFlag(settings: Settings, path: readonly string[]): string {
  if (path[0] === "agents" && path[2] === "env") return "…";
  const value = valueAt(settings, path);
  return typeof value === "string" ? value : JSON.stringify(value);
}
