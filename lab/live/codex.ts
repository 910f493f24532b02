/** Codex before its scripted model: a home of its own, whose config.toml names the model, as a person's would. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { codex as adapter } from "../../src/agents/codex/adapter.ts";
import { codexHome, codexVendor } from "../../src/probe/codex-vendor.ts";
import type { Provider } from "../../src/probe/codex-vendor.ts";
import { startResponses } from "../../src/probe/responses-model.ts";
import type { ResponsesRequest, ResponsesTurn } from "../../src/probe/responses-model.ts";
import { keepRecording } from "./record.ts";
import type { Subject } from "./subject.ts";

/** Its provider on loopback is tried twice, if `config` does not say otherwise. */
export const codex: Subject<ResponsesTurn, Provider, ResponsesRequest> = {
  name: "codex",
  adapter,
  settings: codexVendor.settings,
  vendor: codexVendor,
  start: startResponses,
  environment: (homes, { login, config }) => {
    const { OPENAI_API_KEY: _, ...withoutKey } = codexHome(homes, config);
    const builtIn = `model = "scripted-model"\nopenai_base_url = "${homes.modelUrl}"\n`;
    if (login === "never") writeFileSync(join(withoutKey["CODEX_HOME"]!, "config.toml"), builtIn);
    return login === undefined ? codexHome(homes, config) : withoutKey;
  },
  secondsMax: 60,
  record: (name, lines) => keepRecording("codex", name, { lines, change: changeLine }),
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
function changeLine(line: string): string | undefined {
  const { id, method = "" } = lineSchema.parse(JSON.parse(line));
  if (saysNothing.has(method) || (line.includes('"result"') && (id === "initialize" || id === "turn")))
    return undefined;
  // Of the machine: its own sandbox comes with it.
  if (method === "configWarning" && line.includes("bubblewrap")) return undefined;
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
