/**
 * The places of each CLI's own state, which it writes in any session: logins, conversations, caches. They are below the home
 * folder, or wherever a variable or the agent's `state` says.
 */
import { basename, extname, isAbsolute, join, resolve } from "node:path";
import type { AgentSettings } from "./agent.ts";

type State = {
  /** Folders, each with the variable that moves it. */
  folders: readonly (readonly [folder: string, variable?: string])[];
  files?: readonly string[];
  /** Entries of the folders that a person's own sessions depend on; no agent may change them. */
  kept?: readonly string[];
  /** Files of the folders whose hooks and MCP servers name programs. */
  settings?: readonly string[];
};

const pi: State = {
  folders: [[".pi"]],
  kept: "settings.json models.json AGENTS.md extensions skills prompts"
    .split(" ")
    .map((name) => `agent/${name}`),
};

/** By the agent's kind; of the kinds that run any program, by the program's name. */
const states: Readonly<Record<string, State>> = {
  claude: {
    folders: [[".claude", "CLAUDE_CONFIG_DIR"]],
    files: [".claude.json"],
    kept: [
      ..."settings.json settings.local.json CLAUDE.md statusline.sh".split(" "),
      ..."commands agents skills plugins hooks local output-styles rules".split(" "),
    ],
    settings: ["settings.json", ".claude.json"],
  },
  codex: {
    folders: [[".codex", "CODEX_HOME"]],
    kept: "config.toml hooks.json AGENTS.md AGENTS.override.md prompts rules skills agents".split(" "),
    settings: ["config.toml", "hooks.json"],
  },
  gemini: {
    folders: [[".gemini"]],
    kept: [
      ..."settings.json trustedFolders.json GEMINI.md .env".split(" "),
      ..."extensions commands policies hooks skills agents".split(" "),
    ],
    settings: ["settings.json"],
  },
  opencode: {
    // OpenCode installs its plugins' packages next to its settings.
    folders: [
      [".config/opencode", "OPENCODE_CONFIG_DIR"],
      [".local/share/opencode"],
      [".local/state/opencode"],
      [".cache/opencode"],
    ],
    kept: [
      ..."opencode.json opencode.jsonc AGENTS.md".split(" "),
      ..."agent agents command commands mode modes plugin plugins skills tools".split(" "),
    ],
    settings: ["opencode.json", "opencode.jsonc"],
  },
  kimi: { folders: [[".kimi-code"]], kept: "config.toml mcp.json AGENTS.md skills plugins".split(" ") },
  qwen: {
    folders: [[".qwen"]],
    kept: "settings.json QWEN.md .env extensions commands hooks skills agents".split(" "),
  },
  copilot: {
    folders: [[".copilot"]],
    kept: "settings.json config.json mcp-config.json copilot-instructions.md hooks agents skills".split(" "),
  },
  pi,
  // The adapter that speaks the protocol for it.
  "pi-acp": pi,
};

/** Variables that move every folder with this beginning. */
const moved = {
  ".config/": "XDG_CONFIG_HOME",
  ".local/share/": "XDG_DATA_HOME",
  ".local/state/": "XDG_STATE_HOME",
  ".cache/": "XDG_CACHE_HOME",
} as const;

export function placeOf(
  folder: string,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const above = Object.entries(moved).find(([start]) => folder.startsWith(start));
  const base = above && env[above[1]];
  return above && base && isAbsolute(base) ? join(base, folder.slice(above[0].length)) : join(home, folder);
}

/** Absolute paths: `folders` and `files` may be written, except for `kept`; `settings` are among these. */
export function statePlaces(
  { kind, run: [program = ""] = [], state = [] }: Pick<AgentSettings, "kind" | "run" | "state">,
  { home, env }: { home: string; env: Readonly<Record<string, string | undefined>> },
): Record<"folders" | "files" | "kept" | "settings", string[]> {
  const name = [kind, basename(program)].find((one) => Object.hasOwn(states, one));
  const { folders = [], files = [], kept = [], settings = [] } = states[name ?? ""] ?? {};
  const placed = folders.map(([folder, variable]) => {
    const value = env[variable ?? ""] ?? "";
    return isAbsolute(value) ? value : placeOf(folder, home, env);
  });
  const within = (names: readonly string[]): string[] =>
    placed.flatMap((folder) => names.map((name) => join(folder, name)));
  const own = files.map((file) => join(home, file));
  const named = state.map((path) => resolve(home, path.replace(/^~\//, "")));
  // A name with an extension is a file's, which is the CLI's to make.
  const isFile = (path: string): boolean => extname(path) !== "";
  return {
    folders: [...placed, ...named.filter((path) => !isFile(path))],
    files: [...own, ...named.filter(isFile)],
    kept: within(kept),
    settings: [...within(settings), ...own],
  };
}
