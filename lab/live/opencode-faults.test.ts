/** How a session of the real OpenCode ends by its API or its model: the stop reason, its evidence, and nothing left behind. */
import { opencodeVendor as vendor } from "../../src/probe/opencode-vendor.ts";
import { bash, opencodeTable } from "./opencode-table.ts";

/** OpenCode's own attempts, without their pauses. */
const soon = { "retry-after-ms": "10" };
const silence = { MONOCO_MODEL_SILENCE_MS: "5000" };
const failed = (code: string, message: string) => ({ error: { message, type: code, param: null, code } });
const usedUp = { type: "error", error: { type: "GoUsageLimitError" }, metadata: { limitName: "weekly" } };
const overdrawn = "You exceeded your current quota, please check your plan and billing details.";
const tooLong = "This model's maximum context length is 200000 tokens. However, your messages are longer.";

opencodeTable([
  [
    "a wrong key needs a person, and is not tried again", // TRAP 15
    {
      recording: "unauthorized",
      turns: [{ status: 401, body: failed("invalid_api_key", "Incorrect API key provided.") }],
      reason: "needs_login",
      evidence: "APIError 401: Incorrect API key provided.",
      requests: 1,
    },
  ],
  [
    "without a login and without a model nothing is sent anywhere: that needs a person", // TRAP 15
    {
      turns: [],
      config: { model: undefined, provider: undefined },
      reason: "needs_login",
      evidence: "no provider is logged in and no model is named",
      requests: 0,
    },
  ],
  [
    "a model of a provider that is not logged in needs a person", // TRAP 15
    {
      recording: "provider-not-logged-in",
      turns: [],
      config: { model: "anthropic/claude-sonnet-4-5", provider: undefined },
      reason: "needs_login",
      evidence: /^UnknownError: Model not found: anthropic\/claude-sonnet-4-5/,
      requests: 0,
    },
  ],
  [
    "an account without credit needs a person", // TRAP 15
    {
      recording: "no-credit",
      turns: [{ status: 429, headers: soon, body: failed("insufficient_quota", overdrawn) }],
      reason: "needs_login",
      evidence: `APIError 429: ${overdrawn}`,
      requests: 6,
    },
  ],
  [
    "a 429 that names its end is a limit until then, and not waited for in silence", // TRAP 14
    {
      recording: "limit-with-time",
      turns: [vendor.usedUp(Date.now() + 3_600_000)],
      reason: "usage_limit",
      evidence: "scripted 429",
      requests: 1,
      resetsInMs: 3_600_000,
    },
  ],
  [
    "a used-up plan of OpenCode's own is told at once", // TRAP 14
    {
      recording: "plan-used-up",
      turns: [{ status: 429, headers: { "retry-after": "90" }, body: usedUp }],
      reason: "usage_limit",
      evidence: "weekly usage limit reached",
      requests: 1,
      // Of the 90 s that the server names, the CLI tells a person whole minutes: "It will reset in 2 minutes".
      resetsInMs: 120_000,
    },
  ],
  [
    "a 429 that names no end is a busy server's, after OpenCode's own attempts",
    {
      recording: "busy",
      turns: [{ status: 429, headers: soon }],
      reason: "failure",
      evidence: "APIError 429: scripted 429",
      requests: 6,
    },
  ],
  [
    "a broken server is a failure, after OpenCode's own attempts",
    {
      recording: "server-error",
      turns: [{ status: 500, headers: soon }],
      reason: "failure",
      evidence: "APIError 500: scripted 500",
      requests: 6,
    },
  ],
  [
    "an overloaded server is a failure, after OpenCode's own attempts",
    {
      recording: "overloaded",
      turns: [{ status: 503, headers: soon }],
      reason: "failure",
      evidence: "APIError 503: scripted 503",
      requests: 6,
    },
  ],
  [
    "a stream that is cut again and again is a failure, after a minute and a half",
    {
      recording: "connection-cut",
      turns: [{ cut: true }],
      reason: "failure",
      evidence: "Connection reset by server",
      requests: 6,
      secondsMax: 150,
    },
  ],
  [
    "a context that is too long is its limit, and never compacted", // TRAP 13
    {
      recording: "context-full",
      turns: [bash("echo one"), { status: 400, body: failed("context_length_exceeded", tooLong) }],
      reason: "context_limit",
      evidence: `ContextOverflowError: ${tooLong}`,
      requests: 2,
    },
  ],
  [
    "a model that never answers is given up",
    {
      recording: "never-answers",
      turns: [{ deaf: true }],
      reason: "failure",
      evidence: "the model has said nothing for",
      requests: 1,
      env: silence,
    },
  ],
  [
    "a stream that goes silent is given up",
    {
      recording: "silent-stream",
      turns: [{ hang: true }],
      reason: "failure",
      evidence: "the model has said nothing for",
      requests: 1,
      env: silence,
    },
  ],
  [
    "an answer that is cut off at the output limit is never taken for done", // TRAP 11
    {
      recording: "cut-answer",
      turns: [
        { text: "I beg", finish: "length" },
        { text: "I beg", finish: "length" },
      ],
      reason: "failure",
      evidence: "output limit (length)",
      requests: 2,
    },
  ],
  [
    "a refusal is a failure",
    {
      recording: "refusal",
      turns: [{ text: "I cannot", finish: "content_filter" }],
      reason: "failure",
      evidence: "ContentFilterError: The response was blocked",
      requests: 1,
    },
  ],
]);
