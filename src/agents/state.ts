/** Where each CLI keeps its own state, which it writes in any session: logins, conversations, caches. Below the home folder, or where a variable says. */
import { join } from "node:path";
import type { AgentKind } from "./agent.ts";

type State = {
  /** Folders, each with the variable that moves it. */
  folders: readonly (readonly [folder: string, variable?: string])[];
  files?: readonly string[];
  /** In the folders: what a person's own sessions go by, and no agent may change. */
  kept?: readonly string[];
};

const states: Partial<Record<AgentKind, State>> = {
  claude: {
    folders: [[".claude", "CLAUDE_CONFIG_DIR"]],
    files: [".claude.json"],
    kept: ["settings.json", "settings.local.json", "CLAUDE.md", "commands", "agents", "skills", "plugins"],
  },
  codex: { folders: [[".codex", "CODEX_HOME"]], kept: ["config.toml", "AGENTS.md", "prompts", "rules"] },
  gemini: {
    folders: [[".gemini"]],
    kept: ["settings.json", "GEMINI.md", "extensions", "commands", "policies"],
  },
  opencode: {
    // It installs what its plugins need beside its settings.
    folders: [
      [".config/opencode", "OPENCODE_CONFIG_DIR"],
      [".local/share/opencode"],
      [".local/state/opencode"],
      [".cache/opencode"],
    ],
    kept: ["opencode.json", "opencode.jsonc", "AGENTS.md", "agent", "command", "plugin", "mode"],
  },
};

/** Absolute paths: `folders` and `files` may be written, but nothing that is `kept`. */
export function statePlaces(
  kind: AgentKind,
  { home, env }: { home: string; env: Readonly<Record<string, string | undefined>> },
): { folders: string[]; files: string[]; kept: string[] } {
  const { folders = [], files = [], kept = [] } = states[kind] ?? {};
  const placed = folders.map(([folder, variable]) => env[variable ?? ""] || join(home, folder));
  return {
    folders: placed,
    files: files.map((file) => join(home, file)),
    kept: placed.flatMap((folder) => kept.map((name) => join(folder, name))),
  };
}
