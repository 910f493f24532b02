/** How a session of the real Gemini CLI ends by its API or its model: the stop reason, its evidence, and nothing left behind. */
import { errorOf } from "../../src/probe/gemini-model.ts";
import { untoldLimitMs } from "./ends.ts";
import { geminiTable, shell, thrice } from "./gemini-table.ts";

const rpc = (type: string, fields: object) => ({
  "@type": `type.googleapis.com/google.rpc.${type}`,
  ...fields,
});
const retryIn = (retryDelay: string) => rpc("RetryInfo", { retryDelay });
const quota = (quotaId: string) => rpc("QuotaFailure", { violations: [{ quotaId }] });
const cloudCode = (reason: string) => rpc("ErrorInfo", { reason, domain: "cloudcode-pa.googleapis.com" });

/** It tries again for up to a minute, and three run at a time. */
const secondsMax = 120;

const stalling = { text: "Begun", finish: "", delayMs: 3_500 };

geminiTable(
  [
    {
      name: "unauthorized",
      turns: [{ status: 401, body: errorOf(401, "API key not valid.") }],
      reason: "needs_login",
      evidence: "status 401",
    },
    {
      name: "key-not-valid",
      turns: [{ status: 400, body: errorOf(400, "API key not valid. Please pass a valid API key.") }],
      reason: "needs_login",
      evidence: "API key not valid",
    },
    {
      name: "no-key",
      turns: [],
      login: "no key",
      reason: "needs_login",
      evidence:
        /^exit status 41 without a result: When using Gemini API, you must specify the GEMINI_API_KEY/,
      hooksOff: true,
    },
    {
      name: "never-logged-in",
      turns: [],
      login: "never",
      reason: "needs_login",
      evidence:
        /^exit status 41 without a result: Please set an Auth method in your ~\/\.gemini\/settings\.json or specify one/,
      hooksOff: true,
    },
    {
      name: "no-such-model",
      turns: [{ status: 404, body: errorOf(404, "models/gemini-9 is not found for API version v1beta.") }],
      reason: "needs_login",
      evidence: "models/gemini-9 is not found",
    },
    { name: "busy-server", turns: [{ status: 429 }], reason: "failure", evidence: "status 429" },
    {
      name: "no-capacity",
      turns: [
        {
          status: 429,
          body: errorOf(429, "No capacity available for model", [cloudCode("MODEL_CAPACITY_EXHAUSTED")]),
        },
      ],
      reason: "failure",
      evidence: "No capacity available",
    },
    {
      name: "quota-with-time",
      turns: [{ status: 429, body: errorOf(429, "Quota exceeded.", [retryIn("4000s")]) }],
      reason: "usage_limit",
      evidence: "Suggested retry after 4000s",
      resetsInMs: 4_000_000,
    },
    {
      name: "quota-retried",
      turns: [{ status: 429, body: errorOf(429, "Quota exceeded.", [retryIn("2s")]) }],
      reason: "usage_limit",
      evidence: "Suggested retry after 2s",
      resetsInMs: 2_000,
    },
    {
      name: "daily-quota",
      turns: [
        {
          status: 429,
          body: errorOf(429, "Quota exceeded.", [quota("GenerateRequestsPerDay"), retryIn("20s")]),
        },
      ],
      reason: "usage_limit",
      evidence: "exhausted your daily quota",
      resetsInMs: untoldLimitMs,
    },
    {
      name: "quota-waited-for",
      turns: [
        {
          status: 429,
          body: errorOf(
            429,
            "You have exhausted your capacity on this model. Your quota will reset after 3h12m9s.",
            [cloudCode("QUOTA_EXHAUSTED"), retryIn("11529s")],
          ),
        },
      ],
      reason: "usage_limit",
      evidence: "Your quota will reset after 3h12m9s",
      resetsInMs: 11_529_000,
    },
    { name: "server-error", turns: [{ status: 500 }], reason: "failure", evidence: "status 500" },
    {
      name: "context-exceeded",
      turns: [
        shell("true"),
        {
          status: 400,
          body: errorOf(
            400,
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
          ),
        },
      ],
      reason: "context_limit",
      evidence: "exceeds the maximum number of tokens",
    },
    {
      name: "context-overflow",
      turns: [shell("yes x | head -c 20000", { tokens: 1_048_500 }), { text: "Never." }],
      reason: "context_limit",
      evidence: "stopped without an answer, at 1048550 tokens",
    },
    { name: "connection-cut", turns: [{ cut: true }], reason: "failure", evidence: "terminated" },
    { name: "hang", turns: [{ deaf: true }], reason: "silent", evidence: "no output" },
    { name: "stall", turns: [{ hang: true }], reason: "silent", evidence: "no output" },
    // A stalled stream takes the CLI five minutes; one that ends without an end is asked for anew like it.
    {
      name: "stalls",
      turns: [stalling, stalling, { hang: true }],
      env: { MONOCO_MODEL_SILENCE_MS: "6000" },
      reason: "failure",
      evidence: "went silent again and again",
    },
    {
      name: "answer-cut",
      turns: thrice({ text: "It is cut off te", finish: "MAX_TOKENS" }),
      reason: "failure",
      evidence: "cut off at the most tokens",
    },
    {
      name: "answer-too-long",
      turns: thrice({ text: "", finish: "MAX_TOKENS" }),
      reason: "failure",
      evidence: "exceeded the token limit",
    },
    {
      name: "refused-in-words",
      turns: thrice({ text: "I cannot", finish: "SAFETY" }),
      reason: "failure",
      evidence: "stopped by a filter",
    },
    {
      name: "refused",
      turns: thrice({ text: "", finish: "SAFETY" }),
      reason: "failure",
      evidence: "safety settings",
    },
    {
      name: "loop",
      turns: Array.from({ length: 20 }, () => shell("echo same")),
      reason: "failure",
      evidence: "Loop detected",
    },
    {
      name: "max-turns",
      settings: { model: { maxSessionTurns: 1 } },
      turns: [shell("true"), { text: "Never." }],
      reason: "budget",
      evidence: "max session turns",
    },
  ],
  secondsMax,
);
