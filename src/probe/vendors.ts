/** All vendors; total, so that an adapter without a probe does not compile. */
import type { vendors as kinds } from "../core/settings/agent-kinds.ts";
import { claudeVendor } from "./claude-vendor.ts";
import { codexVendor } from "./codex-vendor.ts";
import { geminiVendor } from "./gemini-vendor.ts";
import { opencodeVendor } from "./opencode-vendor.ts";
import type { Vendor } from "./vendor.ts";

export const vendors: Readonly<Record<(typeof kinds)[number], Vendor>> = {
  claude: claudeVendor,
  codex: codexVendor,
  gemini: geminiVendor,
  opencode: opencodeVendor,
};
