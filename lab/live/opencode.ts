/** What the live tests of OpenCode share: an environment of its own for the real CLI, and its streams made steady. */
import { dirname } from "node:path";
import { z } from "zod";
import { installedAgent } from "../../scripts/agents.ts";
import { opencodeHome } from "../../src/probe/opencode-vendor.ts";
import { cleanEnvironment } from "./environment.ts";

const installed = installedAgent("opencode");

/** The folder with the pinned `opencode`; undefined, and said loudly, where it is not installed. */
export const opencodeDir = installed && dirname(installed);
if (!opencodeDir)
  console.warn("SKIPPED: OpenCode is not installed here; run `npm run agents:install opencode`");

export function opencodeEnvironment(options: { home: string; modelUrl: string }): Record<string, string> {
  return { ...cleanEnvironment(options.home, opencodeDir ?? ""), ...opencodeHome(options) };
}

/** Recorded streams are all of one moment. */
const recordedAtMs = 1_800_000_000_000;

const timedSchema = z.looseObject({ type: z.string(), atMs: z.number() });

/** Everything happens at one moment but what is put off, to the second, and signs of life do not matter. */
export function changeLine(line: string): string | undefined {
  const { type, atMs } = timedSchema.parse(JSON.parse(line));
  if (type === "monoco.alive") return undefined;
  const atOneMoment = (key: string, value: unknown): unknown => {
    if (key === "atMs") return recordedAtMs;
    if (key === "next") return recordedAtMs + Math.round((Number(value) - atMs) / 1000) * 1000;
    if (key === "time" || key === "responseHeaders" || key === "path") return undefined;
    return value;
  };
  return JSON.stringify(JSON.parse(line, atOneMoment));
}
