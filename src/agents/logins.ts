/** The places of each CLI's login: names of variables and files, never their contents. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { AgentKind, AgentSettings } from "./agent.ts";

/** `files` are relative to the home folder, unless the variable `elsewhere` is set; any one variable or file is a login. */
export type LoginPlaces = { env: readonly string[]; files: readonly string[]; elsewhere?: string };

const none: LoginPlaces = { env: [], files: [] };

/** The login places of a kind; empty if none are known. */
export function loginPlaces(kind: AgentKind): LoginPlaces {
  return places[kind] ?? none;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The first variable that is set, or file that exists; never reads its contents. */
export function loginSeen(
  { kind, env }: Pick<AgentSettings, "kind" | "env">,
  around: Environment,
): string | null {
  const { env: names, files } = loginPlaces(kind);
  const variable = names.find((name) => env?.[name] ?? around[name]);
  if (variable !== undefined) return variable;
  const file = files.find((name) => existsSync(join(around["HOME"] || homedir(), name)));
  return file === undefined ? null : `~/${file}`;
}

/** Whether the agent needs a login and none is seen. It may have one all the same: in a keyring, say. */
export function lacksLogin(entry: Pick<AgentSettings, "kind" | "env">, around: Environment): boolean {
  const { files, elsewhere = "" } = loginPlaces(entry.kind);
  const isElsewhere = (entry.env?.[elsewhere] ?? around[elsewhere]) !== undefined;
  return files.length > 0 && !isElsewhere && loginSeen(entry, around) === null;
}

const places: Partial<Record<string, LoginPlaces>> = {
  claude: {
    env: [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "CLAUDE_CODE_OAUTH_TOKEN",
      "CLAUDE_CODE_USE_BEDROCK",
      "CLAUDE_CODE_USE_VERTEX",
    ],
    files: [".claude/.credentials.json"],
    elsewhere: "CLAUDE_CONFIG_DIR",
  },
  // Its app server sends no key of the environment.
  codex: { env: [], files: [".codex/auth.json"], elsewhere: "CODEX_HOME" },
  opencode: {
    env: [
      "OPENCODE_API_KEY",
      "ANTHROPIC_API_KEY",
      "OPENAI_API_KEY",
      "GEMINI_API_KEY",
      "GOOGLE_GENERATIVE_AI_API_KEY",
      "OPENROUTER_API_KEY",
    ],
    files: [".local/share/opencode/auth.json"],
    elsewhere: "XDG_DATA_HOME",
  },
  gemini: {
    env: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"],
    files: [".gemini/oauth_creds.json", ".gemini/gemini-credentials.json"],
    elsewhere: "GEMINI_CLI_HOME",
  },
};
