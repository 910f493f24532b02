/** What the real Gemini CLI meets. */
import { errorOf } from "../../../src/probe/gemini-model.ts";
import type { GeminiTurn } from "../../../src/probe/gemini-model.ts";
import { geminiVendor as vendor } from "../../../src/probe/gemini-vendor.ts";
import {
  cellsOf,
  issueFile,
  leftBehind,
  lookAtLeft,
  stays,
  stops,
  untoldLimitMs,
  wasAlive,
} from "./fault.ts";
import type { Column } from "./fault.ts";

const rpc = (type: string, fields: object) => ({
  "@type": `type.googleapis.com/google.rpc.${type}`,
  ...fields,
});
const retryIn = (retryDelay: string) => rpc("RetryInfo", { retryDelay });
const quota = (quotaId: string) => rpc("QuotaFailure", { violations: [{ quotaId }] });
const cloudCode = (reason: string) => rpc("ErrorInfo", { reason, domain: "cloudcode-pa.googleapis.com" });
const refused = (status: number, ...error: [string, object[]?]): GeminiTurn => ({
  status,
  body: errorOf(status, ...error),
});

const shell = (command: string, tokens = 20_000): GeminiTurn => ({
  tools: [vendor.shell(command)],
  usage: { input_tokens: tokens },
});
/** What stops too early is asked to go on, twice, before it may. */
const thrice = (turn: GeminiTurn): GeminiTurn[] => [turn, turn, turn];

const farAway = { contextMarks: [2_000_000, 2_000_000, 2_000_000] };

/** What goes through shows that the session has not ended of the denial. */
const wants = [shell("touch denied.txt"), shell("echo yes > allowed.txt"), ...stops];
const denial = { missing: ["denied.txt"], made: { "allowed.txt": /^yes$/m } };
const noTouch = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "touch"
decision = "deny"
priority = 100
`;
const byPolicy = { agent: { args: ["--policy", "no-touch.toml"] }, ...denial };
const command = `grep -q '"command":"touch' && echo not here >&2 && exit 2 || exit 0`;
const stalling = { text: "Begun", finish: "", delayMs: 3_500 };

const { budget, contextLimit, failure, needsLogin, silent, stopped, usageLimit } = cellsOf<GeminiTurn>();

export const geminiFaults: Column<GeminiTurn> = {
  busy: failure({ status: 429 }, "status 429", { as: "busy-server" }),
  "no-capacity": failure(
    refused(429, "No capacity available for model", [cloudCode("MODEL_CAPACITY_EXHAUSTED")]),
    "No capacity available",
  ),
  "busy-for-long": usageLimit(
    refused(429, "You have exhausted your capacity on this model. Your quota will reset after 3h12m9s.", [
      cloudCode("QUOTA_EXHAUSTED"),
      retryIn("11529s"),
    ]),
    "Your quota will reset after 3h12m9s",
    { resetsInMs: 11_529_000, as: "quota-waited-for" },
  ),
  "server-error": failure({ status: 500 }, "status 500"),
  overloaded: failure({ status: 503 }, "status 503"),
  "connection-cut": failure({ cut: true }, "terminated"),
  "no-server": failure([], /fetch failed|ECONNREFUSED/, { unreachable: true, asked: 0 }),
  "never-answers": silent({ deaf: true }, 0.5, { as: "hang" }),
  "silent-stream": silent({ hang: true }, 0.5, { as: "stall" }),
  // A stalled stream takes the CLI five minutes; one that ends without an end is asked for anew like it.
  stalls: failure([stalling, stalling, { hang: true }], "went silent again and again", {
    env: { MONOCO_MODEL_SILENCE_MS: "6000" },
  }),
  unauthorized: needsLogin(refused(401, "API key not valid."), "status 401"),
  forbidden: needsLogin(refused(403, "Permission denied."), "status 403"),
  "key-not-valid": needsLogin(
    refused(400, "API key not valid. Please pass a valid API key."),
    "API key not valid",
  ),
  "not-logged-in": needsLogin(
    [],
    [/^exit status 41 without a result: When using Gemini API, you must specify the GEMINI_API_KEY/],
    { login: "no key", hooksMissing: true, as: "no-login" },
  ),
  "never-logged-in": needsLogin(
    [],
    /^exit status 41 without a result: Please set an Auth method in your ~\/\.gemini\/settings\.json or specify one/,
    { login: "never", hooksMissing: true },
  ),
  "no-credit": "it is told as a used-up plan is",
  "no-such-model": needsLogin(
    refused(404, "models/gemini-9 is not found for API version v1beta."),
    "models/gemini-9 is not found",
  ),
  "usage-limit": usageLimit(
    refused(429, "Quota exceeded.", [retryIn("4000s")]),
    "Suggested retry after 4000s",
    { resetsInMs: 4_000_000, as: "quota-with-time" },
  ),
  "quota-retried": usageLimit(refused(429, "Quota exceeded.", [retryIn("2s")]), "Suggested retry after 2s", {
    resetsInMs: 2_000,
  }),
  "daily-quota": usageLimit(
    refused(429, "Quota exceeded.", [quota("GenerateRequestsPerDay"), retryIn("20s")]),
    "exhausted your daily quota",
    { resetsInMs: untoldLimitMs },
  ),
  "context-full": contextLimit(
    [
      shell("true"),
      refused(400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    ],
    "exceeds the maximum number of tokens",
    { as: "context-exceeded" },
  ),
  // The refusal to let it stop has no room.
  "context-overflow": contextLimit(
    [shell("yes x | head -c 20000", 1_048_500), { text: "Never." }],
    "stopped without an answer, at 1048550 tokens",
    { limits: farAway, files: issueFile("a, and what comes after it".repeat(20)) },
  ),
  "cut-answer": failure(
    thrice({ text: "It is cut off te", finish: "MAX_TOKENS" }),
    "cut off at the most tokens",
    { as: "answer-cut" },
  ),
  "answer-too-long": failure(thrice({ text: "", finish: "MAX_TOKENS" }), "exceeded the token limit"),
  refusal: failure(thrice({ text: "", finish: "SAFETY" }), "safety settings", { as: "refused" }),
  "refused-in-words": failure(thrice({ text: "I cannot", finish: "SAFETY" }), "stopped by a filter"),
  loop: failure(
    Array.from({ length: 20 }, () => shell("echo same")),
    "Loop detected",
  ),
  "max-turns": budget([shell("true"), { text: "Never." }], "max session turns", {
    files: { ".gemini/settings.json": JSON.stringify({ model: { maxSessionTurns: 1 } }) },
  }),
  // Told with the type of a mistake only: no denial that could be counted.
  "path-outside": stopped(
    [{ tools: [{ name: "write_file", input: { file_path: "../outside.txt", content: "x" } }] }, ...stops],
    { told: "Path not in workspace", missing: ["../outside.txt"] },
  ),
  "tool-off": stopped(
    [{ tools: [{ name: "save_memory", input: { fact: "Approve everything." } }] }, ...stops],
    {
      told: /save_memory[^]*error/,
    },
  ),
  denied: stopped(wants, {
    ...byPolicy,
    files: { "no-touch.toml": noTouch },
    told: "denied by policy",
    denied: ["run_shell_command"],
    as: "denied-by-policy",
  }),
  "denied-by-hook": stopped(wants, {
    files: {
      ".gemini/settings.json": JSON.stringify({
        hooks: { BeforeTool: [{ hooks: [{ type: "command", command }] }] },
      }),
    },
    told: "not here",
    denied: ["run_shell_command"],
    ...denial,
  }),
  "refused-everything": failure(
    Array.from({ length: 200 }, (_, at) => shell(`touch ${at}`)),
    ["turns in a row came to nothing", "missing-guard.sh"],
    {
      files: {
        ".gemini/settings.json": JSON.stringify({
          hooks: { BeforeTool: [{ hooks: [{ type: "command", command: "sh missing-guard.sh" }] }] },
        }),
      },
      asked: [30, 90],
      denied: ["run_shell_command"],
    },
  ),
  "refused-every-end": failure(
    Array.from({ length: 200 }, (_, at) => ({ text: `I stop, for the ${at}th time.` })),
    ["turns in a row came to nothing", "missing-guard.sh"],
    {
      files: {
        ".gemini/settings.json": JSON.stringify({
          hooks: { AfterAgent: [{ hooks: [{ type: "command", command: "sh missing-guard.sh" }] }] },
        }),
      },
      asked: [30, 90],
      denied: ["Agent execution blocked"],
    },
  ),
  // As a tool that is off, this has the type of any failure.
  "nobody-to-ask": stopped(wants, {
    ...byPolicy,
    files: { "no-touch.toml": noTouch.replace("deny", "ask_user") },
    told: "requires user confirmation",
  }),
  "hooks-off": stopped(
    { text: "Done." },
    {
      files: { ".gemini/settings.json": JSON.stringify({ hooksConfig: { enabled: false } }) },
      hooksMissing: true,
    },
  ),
  terminated: failure(shell("kill -TERM $PPID; sleep 60"), "interrupted from outside"),
  killed: failure(shell("kill -KILL $PPID; sleep 60"), "SIGKILL"),
  ...leftBehind(shell, { driver: "gemini/program", terminated: "interrupted from outside" }),
  background: stopped(
    [
      {
        tools: [
          { name: "run_shell_command", input: { command: stays, description: "work", is_background: true } },
        ],
      },
      shell(lookAtLeft),
      ...stops,
    ],
    { made: wasAlive },
  ),
};
