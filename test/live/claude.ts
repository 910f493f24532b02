/** What the live tests of Claude Code share: an environment of its own for the real CLI. */
import { readFileSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { installedAgent } from "../../scripts/agents.ts";
import { cleanEnvironment } from "./environment.ts";

const installed = installedAgent("claude");

/** The folder with the pinned `claude`; undefined, and said loudly, where it is not installed. */
export const claudeDir = installed && dirname(installed);
if (!claudeDir)
  console.warn("SKIPPED: Claude Code is not installed here; run `npm run agents:install claude`");

/** With a dummy key, and the scripted model in the API's place. */
export function liveEnvironment(options: { home: string; modelUrl: string }): Record<string, string> {
  return {
    ...cleanEnvironment(options.home, claudeDir ?? ""),
    ANTHROPIC_BASE_URL: options.modelUrl,
    ANTHROPIC_API_KEY: "dummy",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
  };
}

/** A subscription's dummy login in place of the key: the usage limit's headers mean nothing to a key. */
export function subscription(environment: Record<string, string>): Record<string, string> {
  const { ANTHROPIC_API_KEY: _, ...rest } = environment;
  return { ...rest, CLAUDE_CODE_OAUTH_TOKEN: "dummy-oauth-token" };
}

/** Signals the CLI itself, wherever in its process tree, that runs the session of this id. */
export function signalClaude(session: string, signal: NodeJS.Signals): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const argv = argvOf(pid);
    if (argv[0] === "claude" && argv.includes(session)) process.kill(Number(pid), signal);
  }
}

function argvOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
