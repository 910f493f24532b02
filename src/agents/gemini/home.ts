/** The home of a session of Gemini CLI: links to what the person has in theirs, and settings of its own that are theirs with ours laid over. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { stripComments } from "jsonc-parser";
import { isRecord } from "../../core/text/record.ts";

export type Json = Record<string, unknown>;

/** What the CLI writes for itself, and the settings. */
const own = new Set(["settings.json", "tmp", "history", "projects.json", "state.json"]);

/**
 * So the login stays usable, and nothing of the person's is changed. `folder` and `personsFolder` are `.gemini` folders.
 * Throws where their settings are broken.
 */
export function makeHome(
  folder: string,
  from: { personsFolder: string; settingsFile: string; telemetryFile: string },
): void {
  const { personsFolder, settingsFile, telemetryFile } = from;
  mkdirSync(folder, { recursive: true });
  for (const name of existsSync(personsFolder) ? readdirSync(personsFolder) : []) {
    const link = join(folder, name);
    const isThere = lstatSync(link, { throwIfNoEntry: false }) !== undefined;
    if (!own.has(name) && !isThere) symlinkSync(join(personsFolder, name), link);
  }
  const persons = personsSettings(join(personsFolder, "settings.json"));
  const ours = JSON.parse(readFileSync(settingsFile, "utf8")) as Json;
  const settings = withBoundedServers(merged(persons, { ...ours, ...telemetry(persons, telemetryFile) }));
  writeFileSync(join(folder, "settings.json"), JSON.stringify(settings, null, 2));
}

/** They may have comments. */
function personsSettings(path: string): Json {
  if (!existsSync(path)) return {};
  try {
    return JSON.parse(stripComments(readFileSync(path, "utf8"))) as Json;
  } catch (error) {
    throw new Error(`${path} is no JSON`, { cause: error });
  }
}

/** Whoever has theirs sent somewhere keeps that. */
function telemetry(persons: Json, outfile: string): Json {
  const theirs = persons["telemetry"];
  if (isRecord(theirs) && theirs["enabled"]) return {};
  return { telemetry: { enabled: true, target: "local", outfile, logPrompts: false, traces: false } };
}

/** The CLI's own is ten minutes, and it begins no session before. One number holds for a server's start and for its tools. */
const serverMs = 60_000;

/** Whoever names a time of their own keeps that. */
function withBoundedServers(settings: unknown): unknown {
  if (!isRecord(settings) || !isRecord(settings["mcpServers"])) return settings;
  const bounded = Object.entries(settings["mcpServers"]).map(([name, server]) => [
    name,
    isRecord(server) ? { timeout: serverMs, ...server } : server,
  ]);
  return { ...settings, mcpServers: Object.fromEntries(bounded) as Json };
}

/** Lists are joined; else the second wins. */
function merged(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second))
    return [...(first as unknown[]), ...(second as unknown[])];
  if (!isRecord(first) || !isRecord(second)) return second;
  const both = { ...first };
  for (const [key, value] of Object.entries(second))
    both[key] = Object.hasOwn(first, key) ? merged(first[key], value) : value;
  return both;
}
