/** Gemini CLI with a scripted model: a home of its own with a login by key, as a person's would be. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startGemini, usedUp } from "./gemini-model.ts";
import type { GeminiScript } from "./gemini-model.ts";
import type { Vendor } from "./vendor.ts";

/** A home with a dummy key; the scripted model replaces the API. */
export function geminiHome({ home, modelUrl }: { home: string; modelUrl: string }): Record<string, string> {
  const folder = join(home, ".gemini");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "settings.json"), personsSettings);
  return { GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_API_KEY: "dummy" };
}

/** Settings with a comment, as people have them. */
export const personsSettings = `{
  // chosen at the first start
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "privacy": { "usageStatisticsEnabled": false }
}
`;

export const geminiVendor: Vendor<GeminiScript> = {
  // With a named model, the CLI does not ask another model to choose one.
  settings: { kind: "gemini", model: "gemini-2.5-pro" },
  startModel: startGemini,
  environment: geminiHome,
  shell: (command) => ({ name: "run_shell_command", input: { command, description: "work" } }),
  verdict: (verdict) => ({ text: JSON.stringify({ type: "verdict", ...verdict }) }),
  usedUp,
  refusal: "You have room left",
};
