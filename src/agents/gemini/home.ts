/** The home of a session of Gemini CLI: links to the person's files, and the person's settings with monoco's laid over. */
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

/** Files and folders that are not linked: the CLI's own data, and the settings. */
const own = new Set(["settings.json", "tmp", "history", "projects.json", "state.json"]);

/**
 * Makes the home. The login stays usable, and nothing of the person's is changed. `folder` and `personsFolder` are `.gemini`
 * folders. Throws if the person's settings are broken.
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

/** Reads settings, which may have comments. */
function personsSettings(path: string): Json {
  if (!existsSync(path)) return {};
  try {
    return JSON.parse(stripComments(readFileSync(path, "utf8"))) as Json;
  } catch (error) {
    throw new Error(`${path} is no JSON`, { cause: error });
  }
}

/** Telemetry into a file, unless the person has theirs enabled. */
function telemetry(persons: Json, outfile: string): Json {
  const theirs = persons["telemetry"];
  if (isRecord(theirs) && theirs["enabled"]) return {};
  return { telemetry: { enabled: true, target: "local", outfile, logPrompts: false, traces: false } };
}

/** The CLI's default is ten minutes, and no session begins before. One number limits a server's start and its tools. */
const serverMs = 60_000;

/** Limits every MCP server that has no timeout of its own. */
function withBoundedServers(settings: unknown): unknown {
  if (!isRecord(settings) || !isRecord(settings["mcpServers"])) return settings;
  const bounded = Object.entries(settings["mcpServers"]).map(([name, server]) => [
    name,
    isRecord(server) ? { timeout: serverMs, ...server } : server,
  ]);
  return { ...settings, mcpServers: Object.fromEntries(bounded) as Json };
}

/** Joins lists; otherwise `second` wins. */
function merged(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second))
    return [...(first as unknown[]), ...(second as unknown[])];
  if (!isRecord(first) || !isRecord(second)) return second;
  const both = { ...first };
  for (const [key, value] of Object.entries(second))
    both[key] = Object.hasOwn(first, key) ? merged(first[key], value) : value;
  return both;
}
