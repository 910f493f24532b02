/** The command that goes on with a relay under the flags of its last run: without them other settings would be in force. */
import type { RelayState } from "../journal/relay-state.ts";
import { valueAt } from "../settings/values.ts";
import type { Settings } from "../settings/settings.ts";
import { shellWord } from "../text/shell.ts";

type Known = Pick<RelayState, "opened" | "settings" | "origins" | "policy">;

export function resumeCommand(state: Known): string {
  return ["monoco relay resume", state.opened?.issue ?? "ID", ...flagsOf(state)].join(" ");
}

/** Each of them as the command line wants it, by where the settings in force came from. */
function flagsOf({ settings, origins = {}, policy }: Known): string[] {
  if (!settings) return [];
  const by = (flag: string): string[] => Object.keys(origins).filter((key) => origins[key] === flag);
  return [
    ...by("--agent").flatMap(() => ["--agent", settings.roles.executor.agents[0] ?? ""]),
    ...by("--set").flatMap((key) => ["--set", `${key}=${inFlag(settings, key.split("."))}`]),
    ...(policy === undefined ? [] : ["--policy", policy]),
  ].map(shellWord);
}

/** What an agent's environment holds may be secret. */
function inFlag(settings: Settings, path: readonly string[]): string {
  if (path[0] === "agents" && path[2] === "env") return "…";
  const value = valueAt(settings, path);
  return typeof value === "string" ? value : JSON.stringify(value);
}
