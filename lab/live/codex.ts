/** What the live tests of Codex share: a home of its own, whose config.toml names the scripted model, as a person's would. */
import { dirname } from "node:path";
import { z } from "zod";
import { installedAgent } from "../../scripts/agents.ts";
import { codexHome } from "../../src/probe/codex-vendor.ts";
import type { Provider } from "../../src/probe/codex-vendor.ts";
import { cleanEnvironment } from "./environment.ts";

const installed = installedAgent("codex");

/** The folder with the pinned `codex`; undefined, and said loudly, where it is not installed. */
export const codexDir = installed && dirname(installed);
if (!codexDir) console.warn("SKIPPED: Codex is not installed here; run `npm run agents:install codex`");

/** A dummy key, and a provider on loopback that is tried twice, if `provider` does not say otherwise. */
export function codexEnvironment(
  { home, modelUrl }: { home: string; modelUrl: string },
  provider?: Provider,
): Record<string, string> {
  return { ...cleanEnvironment(home, codexDir ?? ""), ...codexHome({ home, modelUrl }, provider) };
}

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
