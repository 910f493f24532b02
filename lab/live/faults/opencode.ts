/** What the real OpenCode meets. */
import type { ChatTurn } from "../../../src/probe/chat-model.ts";
import { opencodeVendor as vendor } from "../../../src/probe/opencode-vendor.ts";
import { shellTurn } from "../story.ts";
import { cellsOf, leave, leftBehind, lookAtLeft, stays, stops, wasAlive } from "./fault.ts";
import type { Column } from "./fault.ts";

/** OpenCode's own attempts, without their pauses. */
const soon = { "retry-after-ms": "10" };
const silence = { MONOCO_MODEL_SILENCE_MS: "5000" };
const failed = (code: string, message: string) => ({ error: { message, type: code, param: null, code } });
const usedUp = { type: "error", error: { type: "GoUsageLimitError" }, metadata: { limitName: "weekly" } };
const overdrawn = "You exceeded your current quota, please check your plan and billing details.";
const tooLong = "This model's maximum context length is 200000 tokens. However, your messages are longer.";
const bash = (command: string, tokens = 20_000): ChatTurn => shellTurn(vendor, command, tokens);
const left = leftBehind(bash, { driver: "opencode/program", terminated: "exit status 143" });

const { contextLimit, failure, needsLogin, stopped, usageLimit } = cellsOf<ChatTurn, object>();

export const opencodeFaults: Column<ChatTurn, object> = {
  busy: failure({ status: 429, headers: soon }, "APIError 429: scripted 429", { asked: 6 }),
  "busy-for-long": "a 429 that names its end is what a used-up plan is told by",
  "server-error": failure({ status: 500, headers: soon }, "APIError 500: scripted 500", { asked: 6 }),
  overloaded: failure({ status: 503, headers: soon }, "APIError 503: scripted 503", { asked: 6 }),
  "connection-cut": failure({ cut: true }, "Connection reset by server", { asked: 6 }),
  "no-server": failure([], /[Uu]nable to connect|ECONNREFUSED/, { unreachable: true, asked: 0 }),
  "never-answers": failure({ deaf: true }, "the model has said nothing for", { env: silence, asked: 1 }),
  "silent-stream": failure({ hang: true }, "the model has said nothing for", { env: silence, asked: 1 }),
  unauthorized: needsLogin(
    { status: 401, body: failed("invalid_api_key", "Incorrect API key provided.") },
    "APIError 401: Incorrect API key provided.",
    { asked: 1 },
  ),
  forbidden: needsLogin({ status: 403 }, "APIError 403: scripted 403"),
  // No code is sent to a free model of OpenCode's.
  "not-logged-in": needsLogin([], "no provider is logged in and no model is named", {
    config: { model: undefined, provider: undefined },
    asked: 0,
  }),
  "no-credit": needsLogin(
    { status: 429, headers: soon, body: failed("insufficient_quota", overdrawn) },
    `APIError 429: ${overdrawn}`,
    { asked: 6 },
  ),
  "no-such-model": needsLogin([], "UnknownError: Model not found: scripted/m2.", {
    agent: { model: "scripted/m2" },
    asked: 0,
    as: "model-unknown",
  }),
  "provider-not-logged-in": needsLogin([], /^UnknownError: Model not found: anthropic\/claude-sonnet-4-5/, {
    config: { model: "anthropic/claude-sonnet-4-5", provider: undefined },
    asked: 0,
  }),
  "usage-limit": usageLimit(() => vendor.usedUp(Date.now() + 3_600_000), "scripted 429", {
    asked: 1,
    resetsInMs: 3_600_000,
    as: "limit-with-time",
  }),
  "plan-used-up": usageLimit(
    { status: 429, headers: { "retry-after": "90" }, body: usedUp },
    "weekly usage limit reached",
    {
      asked: 1,
      // Of the 90 s that the server names, the CLI tells a person whole minutes: "It will reset in 2 minutes".
      resetsInMs: 120_000,
    },
  ),
  // It is never compacted.
  "context-full": contextLimit(
    [bash("echo one"), { status: 400, body: failed("context_length_exceeded", tooLong) }],
    `ContextOverflowError: ${tooLong}`,
    { asked: 2 },
  ),
  "cut-answer": failure(
    [
      { text: "I beg", finish: "length" },
      { text: "I beg", finish: "length" },
    ],
    "output limit (length)",
    { asked: 2 },
  ),
  refusal: failure(
    { text: "I cannot", finish: "content_filter" },
    "ContentFilterError: The response was blocked",
    { asked: 1 },
  ),
  // What it would ask for is allowed, and the session goes on.
  denied: stopped([bash("touch denied.txt"), bash("echo yes > asked.txt"), ...stops], {
    config: { permission: { bash: { "*": "ask", "touch *": "deny" } } },
    asked: 4,
    told: "a rule which prevents you",
    denied: ["bash"],
    missing: ["denied.txt"],
    made: { "asked.txt": /^yes$/m },
  }),
  "refused-everything": failure(
    Array.from({ length: 200 }, (_, at) => bash(`touch ${at}`)),
    ["turns in a row came to nothing", "the guard is missing"],
    {
      files: {
        ".opencode/plugin/guard.js": `const refuse = async () => { throw new Error("the guard is missing"); };
export const Guard = async () => ({ "tool.execute.before": refuse });\n`,
      },
      asked: [30, 90],
      denied: ["bash"],
    },
  ),
  // It is not offered, which nothing tells apart from a tool that there is none of.
  "denied-whole": stopped([bash("touch denied.txt"), ...stops], {
    config: { permission: { bash: "deny" } },
    asked: 3,
    told: "unavailable tool",
    missing: ["denied.txt"],
  }),
  terminated: failure(bash("kill -TERM $PPID; sleep 60"), "opencode ended by itself", { asked: 1 }),
  killed: failure(bash(`${leave}; kill -KILL $PPID; sleep 6000`), "opencode ended by itself (SIGKILL)", {
    asked: 1,
    made: { "left.pid": /^\d+\n$/ },
  }),
  // One that holds its tool's output ends with the tool, at its time-out.
  background: stopped(
    [
      { tools: [{ name: "bash", input: { command: `${stays} &`, timeout: 3_000 } }] },
      bash(lookAtLeft),
      ...stops,
    ],
    { asked: 4, made: { "left.pid": /^\d+\n$/ }, missing: Object.keys(wasAlive) },
  ),
  "background-silent": stopped(
    [
      bash(`${stays} > /dev/null 2>&1 & until [ -s left.pid ]; do sleep 0.1; done`),
      bash(lookAtLeft),
      ...stops,
    ],
    { asked: 4, made: wasAlive },
  ),
  ...left,
  orphan: { ...left.orphan, as: "grandchild" },
};
