/** Kimi Code, which has no adapter of its own, before a scripted model: any agent that speaks the Agent Client Protocol. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { acp } from "../../src/agents/acp/adapter.ts";
import { startChat } from "../../src/probe/chat-model.ts";
import type { ChatScript, ChatTurn } from "../../src/probe/chat-model.ts";
import type { Vendor } from "../../src/probe/vendor.ts";
import { keepRecording } from "./record.ts";
import type { Homes, Subject } from "./subject.ts";

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
export const kimi: Subject<ChatTurn, string> = {
  name: "kimi",
  adapter: acp,
  settings: kimiVendor.settings,
  vendor: kimiVendor,
  start: startChat,
  environment: (homes, { config }) => kimiHome(homes, config),
  secondsMax: 60,
  record: (name, lines) => keepRecording("acp", name, { lines, change: (line) => line }),
};

/** A home with a provider of one's own, as a person's would be; `more` of its settings. */
function kimiHome({ home, modelUrl }: Homes, more = ""): Record<string, string> {
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
