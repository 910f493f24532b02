/** What the live tests of Codex share: a home of its own, whose config.toml names the scripted model, as a person's would. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { installedAgent } from "../../scripts/agents.ts";
import { cleanEnvironment } from "./environment.ts";
import { startResponses } from "./responses-server.ts";
import type { ResponsesConversation } from "./responses-server.ts";
import type { Vendor } from "./story.ts";

const installed = installedAgent("codex");

/** The folder with the pinned `codex`; undefined, and said loudly, where it is not installed. */
export const codexDir = installed && dirname(installed);
if (!codexDir) console.warn("SKIPPED: Codex is not installed here; run `npm run agents:install codex`");

/** What a person may set of a provider. */
export type Provider = { stream_max_retries?: number; stream_idle_timeout_ms?: number };

/** A dummy key, and a provider on loopback that is tried twice. */
export function codexEnvironment(
  { home, modelUrl }: { home: string; modelUrl: string },
  provider: Provider = {},
): Record<string, string> {
  const codexHome = join(home, ".codex");
  mkdirSync(codexHome, { recursive: true });
  writeFileSync(join(codexHome, "config.toml"), configToml(modelUrl, provider));
  return {
    ...cleanEnvironment(home, codexDir ?? ""),
    CODEX_HOME: codexHome,
    OPENAI_API_KEY: "dummy",
  };
}

export function configToml(modelUrl: string, provider: Provider = {}): string {
  const { stream_max_retries = 1, stream_idle_timeout_ms = 60_000 } = provider;
  return `model = "scripted-model"
model_provider = "scripted"

[model_providers.scripted]
name = "Scripted"
base_url = "${modelUrl}"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = ${stream_max_retries}
stream_idle_timeout_ms = ${stream_idle_timeout_ms}
`;
}

export const codexVendor: Vendor<readonly ResponsesConversation[]> = {
  name: "codex",
  entry: "{ kind: codex }",
  startModel: startResponses,
  environment: (options) => codexEnvironment(options),
  shell: (cmd) => ({ name: "exec_command", input: { cmd, yield_time_ms: 30_000 } }),
  verdict: (verdict) => ({ text: JSON.stringify(verdict) }),
  refusal: "<hook_prompt",
};

/** Recorded streams are all of one moment, and limits end an hour later. */
const recordedAtMs = 1_795_253_808_000;

const saysNothing = new Set([
  "hook/started",
  "remoteControl/status/changed",
  "thread/readState/changed",
  "thread/status/changed",
  "warning",
]);

const lineSchema = z.looseObject({ id: z.unknown().optional(), method: z.string().optional() });
const idSchema = z.looseObject({ id: z.string() });

/** Drops what Codex says of itself, and cuts the answer to `thread/start` down to what is read of it. */
export function changeLine(line: string): string | undefined {
  const { id, method = "" } = lineSchema.parse(JSON.parse(line));
  if (saysNothing.has(method) || (line.includes('"result"') && (id === "initialize" || id === "turn")))
    return undefined;
  if (line.includes('"type":"userMessage"')) return undefined;
  if (method === "item/started" && line.includes('"type":"agentMessage"')) return undefined;
  if (method === "account/rateLimits/updated" && line.includes('"primary":null')) return undefined;
  return JSON.stringify(JSON.parse(line, atOneMoment));
}

function atOneMoment(key: string, value: unknown): unknown {
  if (key === "emittedAtMs") return recordedAtMs;
  if (key === "resetsAt") return recordedAtMs / 1000 + 3600;
  if (/(?:At|AtMs|durationMs|processId)$/.test(key)) return undefined;
  if (key === "thread") return { id: idSchema.parse(value).id };
  if (key !== "message" || typeof value !== "string") return value;
  return value.replace(/at [A-Z]\w+ \d+\w+, \d+ /, "at Dec 21st, 2026 ").replace(/\d+:\d\d [AP]M/, "4:53 PM");
}
