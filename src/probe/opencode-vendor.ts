/** OpenCode with a scripted model: a home of its own, whose opencode.json names the model as a provider, as a person's would. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChat } from "./chat-model.ts";
import type { ChatScript } from "./chat-model.ts";
import type { Vendor } from "./vendor.ts";

/** Keeps OpenCode off the network. A person's own relay passes these on only through `env:` of the agent. */
const offline = { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_DEFAULT_PLUGINS: "1" };

/** A home whose opencode.json has `config` and the scripted model. */
export function opencodeHome(
  { home, modelUrl }: { home: string; modelUrl: string },
  config: object = {},
): Record<string, string> {
  const folder = join(home, ".config", "opencode");
  asInstalled(folder);
  writeFileSync(
    join(folder, "opencode.json"),
    JSON.stringify({ model: "scripted/m1", provider: { scripted: provider(modelUrl) }, ...config }),
  );
  return offline;
}

/** Makes a settings folder look used: otherwise OpenCode asks npm for a package of its own, and plugins wait for that. */
export function asInstalled(folder: string): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  const dependencies = { "@opencode-ai/plugin": "1.18.33" };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: { "": { dependencies } } }));
}

/** A provider as a person configures one, with a model of 200,000 tokens. */
function provider(modelUrl: string): object {
  const limit = { context: 200_000, output: 8_000 };
  return {
    npm: "@ai-sdk/openai-compatible",
    options: { baseURL: modelUrl, apiKey: "dummy" },
    models: { m1: { name: "M1", tool_call: true, limit, cost: { input: 1, output: 5 } } },
  };
}

export const opencodeVendor: Vendor<ChatScript> = {
  settings: { kind: "opencode", env: offline },
  startModel: startChat,
  environment: (options) => opencodeHome(options),
  shell: (command) => ({ name: "bash", input: { command, description: "work" } }),
  verdict: (verdict) => ({ text: `I have looked.\n\n${JSON.stringify({ type: "verdict", ...verdict })}` }),
  usedUp: (resetsAtMs) => ({
    status: 429,
    headers: { "retry-after": String(Math.ceil((resetsAtMs - Date.now()) / 1000)) },
  }),
  refusal: "You have room left",
};
