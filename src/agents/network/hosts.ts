/** The hosts of each agent's vendor, for its models and for renewing a login. Telemetry and updates are left out. */
import type { AgentEntry } from "../../core/settings/agent-schema.ts";

// https://code.claude.com/docs/en/network-config: the API, and the logins of claude.ai and of the Console.
const anthropic = ["api.anthropic.com", "claude.ai", "platform.claude.com"];
// https://github.com/openai/codex, codex-rs/model-provider-info and codex-rs/login: by key, by plan, and the login.
const openai = ["api.openai.com", "chatgpt.com", "auth.openai.com"];
// https://github.com/google-gemini/gemini-cli, packages/core: by key, by login, by Vertex AI; then the login itself.
const google = [
  ..."generativelanguage.googleapis.com cloudcode-pa.googleapis.com aiplatform.googleapis.com".split(" "),
  ..."oauth2.googleapis.com accounts.google.com www.googleapis.com".split(" "),
];
// https://opencode.ai/docs/zen and https://models.dev: its own models, and the list of all.
const opencode = ["opencode.ai", "models.dev"];

/** The name of an OpenCode model begins with its provider. */
const providers: Readonly<Record<string, readonly string[]>> = { anthropic, openai, google };

export function vendorHosts({ kind, model = "" }: Pick<AgentEntry, "kind" | "model">): readonly string[] {
  switch (kind) {
    case "claude":
      return anthropic;
    case "codex":
      return openai;
    case "gemini":
      return google;
    case "opencode":
      return [...opencode, ...(providers[model.split("/")[0] ?? ""] ?? [])];
    default:
      return [];
  }
}
