/** Codex with a scripted model: a home of its own, whose config.toml names the model as a provider, as a person's would. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startResponses, usedUp } from "./responses-model.ts";
import type { ResponsesScript } from "./responses-model.ts";
import type { Vendor } from "./vendor.ts";

/** Settings of a provider that hardly any person changes. */
export type Provider = {
  request_max_retries?: number;
  stream_max_retries?: number;
  stream_idle_timeout_ms?: number;
  supports_websockets?: boolean;
};

/** Makes a fault end in seconds; the default takes up to 30 requests, and 5 min for each silence. */
export const triedTwice: Provider = {
  request_max_retries: 1,
  stream_max_retries: 1,
  stream_idle_timeout_ms: 60_000,
};

/** A home with a dummy key and a provider on loopback. */
export function codexHome(
  { home, modelUrl }: { home: string; modelUrl: string },
  provider = triedTwice,
): Record<string, string> {
  const folder = join(home, ".codex");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.toml"), configToml(modelUrl, provider));
  return { CODEX_HOME: folder, OPENAI_API_KEY: "dummy" };
}

export function configToml(modelUrl: string, provider = triedTwice): string {
  const lines = Object.entries(provider).map(([key, value]) => `${key} = ${value}\n`);
  return `model = "scripted-model"
model_provider = "scripted"

[model_providers.scripted]
name = "Scripted"
base_url = "${modelUrl}"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
${lines.join("")}`;
}

export const codexVendor: Vendor<ResponsesScript> = {
  settings: { kind: "codex" },
  startModel: startResponses,
  environment: (options) => codexHome(options),
  shell: (cmd) => ({ name: "exec_command", input: { cmd, yield_time_ms: 30_000 } }),
  verdict: (verdict) => ({ text: JSON.stringify(verdict) }),
  usedUp,
  refusal: "<hook_prompt",
};
