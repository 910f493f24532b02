/** Claude Code with a scripted model: a dummy login of a subscription, since the CLI reads the headers of a usage limit for subscriptions only. */
import { startMessages, usageLimitHeaders } from "./messages-model.ts";
import type { Vendor } from "./vendor.ts";

export const claudeVendor: Vendor = {
  settings: { kind: "claude", env: { CLAUDE_CODE_MAX_RETRIES: "1" } },
  startModel: startMessages,
  environment: ({ modelUrl }) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    CLAUDE_CODE_OAUTH_TOKEN: "dummy-oauth-token",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
  }),
  shell: (command) => ({ name: "Bash", input: { command, description: "work" } }),
  verdict: (input) => ({ tools: [{ name: "StructuredOutput", input }] }),
  usedUp: (resetsAtMs) => ({ status: 429, headers: usageLimitHeaders(resetsAtMs) }),
  refusal: "Stop hook feedback",
};
