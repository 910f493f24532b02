/** The places of each CLI's login: names of variables and files, never their contents. */
import type { AgentKind } from "./agent.ts";

/** `files` are relative to the home folder; any one variable or file is a login. */
export type LoginPlaces = { env: readonly string[]; files: readonly string[] };

const none: LoginPlaces = { env: [], files: [] };

/** The login places of a kind; empty if none are known. */
export function loginPlaces(kind: AgentKind): LoginPlaces {
  return places[kind] ?? none;
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
  },
  // Its app server sends no key of the environment.
  codex: { env: [], files: [".codex/auth.json"] },
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
  },
  gemini: {
    env: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"],
    files: [".gemini/oauth_creds.json", ".gemini/gemini-credentials.json"],
  },
};
