/** Kimi Code, which has no adapter of its own, before a scripted model: any agent that speaks the Agent Client Protocol. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installedAgent } from "../../scripts/agents.ts";
import { startChat } from "../../src/probe/chat-model.ts";
import type { ChatScript } from "../../src/probe/chat-model.ts";
import type { Vendor } from "../../src/probe/vendor.ts";
import { keepRecording } from "./record.ts";

const installed = installedAgent("kimi");

/** The folder with the pinned `kimi`; undefined, and said loudly, where it is not installed. */
export const kimiDir = installed && dirname(installed);
if (!kimiDir) console.warn("SKIPPED: Kimi Code is not installed here; run `npm run agents:install kimi`");

/** A home with a provider of one's own, as a person's would be; `more` of its settings. */
export function kimiHome(
  { home, modelUrl }: { home: string; modelUrl: string },
  more = "",
): Record<string, string> {
  const folder = join(home, ".kimi-code");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "config.toml"),
    `default_model = "m1"

[providers.scripted]
type = "openai"
base_url = "${modelUrl}"
api_key = "dummy"

[models.m1]
provider = "scripted"
model = "m1"
max_context_size = 200000
${more}`,
  );
  return {};
}

export const kimiVendor: Vendor<ChatScript> = {
  settings: { kind: "acp", run: ["kimi", "acp"] },
  startModel: startChat,
  environment: (options) => kimiHome(options),
  shell: (command) => ({ name: "Bash", input: { command } }),
  verdict: (verdict) => ({ text: `I have looked.\n\n${JSON.stringify({ type: "verdict", ...verdict })}` }),
  usedUp: () => ({
    status: 429,
    body: {
      error: { message: "Your quota is used up", type: "insufficient_quota", code: "insufficient_quota" },
    },
  }),
  refusal: "You have room left",
};

/** What it says is the same from run to run. */
export function recordKimi(name: string, lines: readonly string[]): void {
  keepRecording("acp", name, { lines, change: (line) => line });
}
