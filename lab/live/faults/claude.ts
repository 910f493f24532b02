/** What the real Claude Code meets. */
import { join } from "node:path";
import type { MessagesTurn } from "../../../src/probe/messages-model.ts";
import { usageLimitHeaders } from "../../../src/probe/messages-model.ts";
import type { ModelRequest } from "../../../src/probe/scripted-model.ts";
import { signalClaude } from "../claude.ts";
import { cellsOf, leave, leaveAtHome, lookAtLeft, stops, wasAlive, wasAliveAtHome } from "./fault.ts";
import type { Cell, Column } from "./fault.ts";

/** A window so large that monoco's own marks are never reached: what ends the session is the CLI. */
const farAway = { windowTokens: 2_000_000 };
const farAwayMarks = { contextMarks: [1_800_000, 1_900_000, 1_950_000] };
const farMs = Date.UTC(2099, 11, 1);

const once = { CLAUDE_CODE_MAX_RETRIES: "1" };
const background = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "" };
const inBackground = { run_in_background: true };
const loop = "for i in 1; do sleep 60; done";
const cut = { text: "Half an ans", finish: "max_tokens" } as const;
const refused = { text: "I cannot", finish: "refusal" } as const;
const denial = { permissionDecision: "deny", permissionDecisionReason: "not here" };
const noTouch = project({ permissions: { deny: ["Bash(touch:*)"] } });
const overdrawn = refusal("Your credit balance is too low to access the Anthropic API.");
const enough = `echo '{"continue":false,"stopReason":"enough"}'`;

const { budget, contextLimit, failure, needsLogin, silent, stopped, unknown, usageLimit } =
  cellsOf<MessagesTurn>();
const completed = (
  turns: Cell<MessagesTurn>["turns"],
  more: Parameters<typeof stopped>[1] = {},
  reason = "completed",
): Cell<MessagesTurn> => stopped(turns, more, `terminal_reason ${reason}`);

/** How often it tries a busy server, and how long it waits, is as shipped where `env` does not say otherwise. */
export const claudeFaults: Column<MessagesTurn> = {
  busy: failure({ status: 429 }, "terminal_reason api_error, status 429", {
    env: { CLAUDE_CODE_MAX_RETRIES: "2" },
    asked: 3,
  }),
  // At once.
  "busy-for-long": failure(
    { status: 429, headers: { "retry-after": "300" } },
    "terminal_reason api_error, status 429",
    { asked: 1 },
  ),
  // Says a subscription's server.
  "busy-server": failure({ status: 429 }, ["status 429", "not your usage limit"], {
    env: once,
    login: "subscription",
  }),
  "passing-errors": completed([{ status: 429 }, { status: 500 }, ...stops], { login: "subscription" }),
  "server-error": failure({ status: 500 }, "terminal_reason api_error, status 500", { env: once, asked: 2 }),
  overloaded: failure({ status: 529 }, ["terminal_reason api_error, status 529", "Overloaded"]),
  "overloaded-in-an-answer": failure(
    { overloaded: true },
    "terminal_reason api_error, status 529, API Error: Overloaded",
    { env: once },
  ),
  "no-server": failure([], ["api_error connection_failed", "ECONNREFUSED"], {
    env: once,
    unreachable: true,
    asked: 0,
  }),
  "connection-cut": failure({ cut: true }, "api_error connection_failed", { env: once }),
  "unknown-error": failure(refusal("messages.3: something odd"), ["status 400", "something odd"]),
  // It gives up, where monoco's patience does not end first.
  "never-answers": failure({ deaf: true }, ["terminal_reason api_error", "Request timed out"], {
    env: { API_TIMEOUT_MS: "3000", ...once },
    asked: 2,
  }),
  "silent-stream": failure({ hang: true }, "api_error stream_idle_timeout", {
    env: { CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: "10000" },
    asked: 2,
  }),
  "never-answers-in-time": silent({ deaf: true }, 0.05),
  "silent-stream-in-time": silent({ hang: true }, 0.05),
  // It gives up within monoco's limits.
  unauthorized: needsLogin({ status: 401, body: apiError("authentication_error", "invalid x-api-key") }, [
    "terminal_reason api_error, status 401",
    "Invalid API key",
  ]),
  forbidden: needsLogin(
    { status: 403, body: apiError("permission_error", "not allowed") },
    "terminal_reason api_error, status 403",
    { asked: 1 },
  ),
  "not-logged-in": needsLogin([], "Not logged in", { login: "never", asked: 0 }),
  "no-credit": needsLogin(overdrawn, "terminal_reason api_error, status 400, Credit balance is too low", {
    asked: 1,
  }),
  // That hooks were not loaded hides nothing.
  "no-credit-without-hooks": needsLogin(overdrawn, "Credit balance is too low", {
    files: project({ disableAllHooks: true }),
    hooksMissing: true,
  }),
  "no-such-model": needsLogin(
    { status: 404, body: apiError("not_found_error", "model: claude-x") },
    ["terminal_reason api_error, status 404", "the selected model (claude-x)"],
    { agent: { model: "claude-x" }, as: "model-missing" },
  ),
  "usage-limit": usageLimit(
    { status: 429, headers: usageLimitHeaders(farMs) },
    ["the five hour limit is used up", "api_error usage_limit_reached, status 429"],
    { login: "subscription", resetsAtMs: farMs, asked: 1 },
  ),
  // Of a key.
  "spending-limit": usageLimit(
    refusal(
      "You have reached your specified API usage limits. You will regain access on 2099-12-01 at 00:00 UTC.",
    ),
    "You have reached your specified API usage limits",
    { resetsAtMs: farMs },
  ),
  // In the eyes of the API, and then of the CLI.
  "context-full": contextLimit(
    [bash("true"), refusal("prompt is too long: 210342 tokens > 200000 maximum")],
    "terminal_reason prompt_too_long, status 400",
    { asked: 2, as: "prompt-too-long" },
  ),
  "context-full-for-the-cli": contextLimit(
    [bash("true", 985_000), ...stops],
    "terminal_reason blocking_limit",
    { agent: farAway, limits: farAwayMarks, asked: 1, as: "context-full" },
  ),
  // In one leap past all marks there is no room for last words, either.
  "context-full-at-once": contextLimit(
    [bash("true", 985_000), ...stops],
    ["stopped by monoco: 985000 tokens of context in use", "it left none"],
  ),
  // Where the project's settings win over ours. TRAP 13
  compacted: contextLimit(
    [bash("true"), bash("true"), bash("true"), bash("true", 970_000), ...stops, ...stops],
    "stopped by monoco: the agent compacted its own context",
    {
      agent: { ...farAway, args: ["--settings", '{"autoCompactEnabled":true}'] },
      limits: farAwayMarks,
      hooksMissing: true,
    },
  ),
  "request-too-large": contextLimit(
    { status: 413, body: apiError("request_too_large", "Request exceeds the maximum size") },
    "terminal_reason image_error, status 413",
  ),
  // It ends all the same.
  "context-full-and-never-opened-again": contextLimit(
    [bash(loop, 175_000), ...stops],
    ["stopped by monoco: 175000 tokens of context in use", "it left none"],
    { agent: { args: ["--no-session-persistence"] }, asked: 1 },
  ),
  "cut-answer": failure(
    cut,
    ["terminal_reason api_error, api_error max_output_tokens", "CLAUDE_CODE_MAX_OUTPUT_TOKENS"],
    { asked: 4, as: "answer-cut" },
  ),
  // It is asked to go on, and goes on.
  "answer-cut-once": completed([cut, cut, cut, ...stops], { asked: 5 }),
  refusal: failure(
    [bash("true"), refused],
    ["terminal_reason api_error, stop_reason refusal, safety_stops 2", "safeguards flagged"],
    { asked: 3 },
  ),
  "refusal-once": completed([refused, ...stops], { asked: 3 }, "completed, safety_stops 1"),
  denied: completed([bash("touch one"), bash("touch two"), ...stops], {
    files: noTouch,
    asked: 4,
    denied: ["Bash"],
    as: "denied-by-rule",
  }),
  "denied-by-hook": completed([bash("touch one"), ...stops], {
    files: hook(
      "PreToolUse",
      `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...denial } })}'`,
    ),
    asked: 3,
    denied: ["Bash"],
  }),
  // A script that is missing: its shell ends with 2, which means "block".
  "refused-everything": failure(
    Array.from({ length: 200 }, (_, at) => bash(`touch ${at}`)),
    ["turns in a row came to nothing", "PreToolUse:Bash hook error", "missing-guard.sh"],
    { files: hook("PreToolUse", "sh missing-guard.sh"), asked: [30, 90], denied: ["Bash"] },
  ),
  "nobody-to-ask": completed([write(".claude/settings.json"), ...stops], { asked: 3, denied: ["Write"] }),
  "denied-before-a-kill": failure(
    [bash("touch one"), signalled("SIGTERM")],
    "exit status 143 (killed by signal 15)",
    { files: noTouch, denied: ["Bash"] },
  ),
  // INT and TERM in the middle of a tool, of an answer, and before the first turn, where it exits with 0. TRAP 11
  interrupt: failure(
    bash(`kill -INT $PPID; ${loop}`),
    "interrupted from outside: terminal_reason aborted_tools",
  ),
  // On a busy machine it is gone before its last line.
  "interrupted-in-an-answer": failure(
    signalled("SIGINT"),
    /interrupted from outside: terminal_reason aborted_streaming|before it had said how it ended/,
  ),
  "interrupted-before-its-turn": failure(stops, ["exit status 0", "before it had said how it ended"], {
    files: hook("SessionStart", "kill -INT $CLAUDE_PID"),
    hooksMissing: "either",
    asked: 0,
  }),
  terminated: failure(
    bash(`${leaveAtHome}; kill -TERM $PPID; ${loop}`),
    "exit status 143 (killed by signal 15)",
    { made: wasAliveAtHome },
  ),
  "terminated-in-an-answer": failure(signalled("SIGTERM"), "exit status 143 (killed by signal 15)"),
  "hung-up": failure(bash(`kill -HUP $PPID; ${loop}`), "exit status 129 (killed by signal 1)"),
  killed: failure(bash(`${leaveAtHome}; kill -KILL $PPID; ${loop}`), "exit status 137 (killed by signal 9)", {
    made: wasAliveAtHome,
  }),
  orphan: completed([bash(leave), bash(lookAtLeft), ...stops], { made: wasAlive }),
  // It ends with its second result, not with the first. TRAP 11
  background: needsLogin(
    [
      bash("for i in 1; do sleep 3; done", 1000, inBackground),
      { text: "It runs." },
      { text: "I wait." },
      { status: 403 },
    ],
    ["terminal_reason api_error", "status 403"],
    { env: background, asked: 4 },
  ),
  // It is not waited for.
  "background-for-ever": silent([bash("for i in 1; do sleep 300; done", 1000, inBackground), ...stops], 0.1, {
    env: background,
  }),
  // Where monoco's settings are in force.
  "background-refused": completed([
    bash("for i in 1; do sleep 300; done", 1000, inBackground),
    ({ tail }) => (/unexpected parameter.*run_in_background/.test(tail) ? stops[0]! : { status: 418 }),
    ...stops,
  ]),
  stops: completed(stops),
  "stop-hook-prevents": completed(stops, { files: hook("Stop", enough), asked: 1 }, "stop_hook_prevented"),
  "hook-stops": completed(
    [bash("true"), ...stops],
    { files: hook("PostToolUse", enough), asked: 1 },
    "hook_stopped",
  ),
  // Unknown, and not done.
  "prompt-refused": unknown(stops, ["terminal_reason (none)", "not on a Sunday"], {
    files: hook("UserPromptSubmit", `echo '{"decision":"block","reason":"not on a Sunday"}'`),
    asked: 0,
  }),
  "max-turns": budget(
    [bash("true"), bash("true"), bash("true")],
    ["terminal_reason max_turns", "Reached maximum number of turns (2)"],
    { agent: { args: ["--max-turns", "2"] } },
  ),
  "max-budget": budget(
    [bash("true", 300_000), ...stops],
    ["terminal_reason budget_exhausted", "Reached maximum budget ($1)"],
    { agent: { ...farAway, args: ["--max-budget-usd", "1"] }, limits: farAwayMarks },
  ),
  // The project has switched all hooks off; settings of a wrong shape were dropped whole; the CLI refused its command line.
  "hooks-off": completed(stops, { files: project({ disableAllHooks: true }), asked: 1, hooksMissing: true }),
  "settings-dropped": completed(stops, {
    // A hook that is not ours proves nothing.
    files: hook("SessionStart", "true"),
    agent: { args: ["--settings", '{"permissions":{"allow":"Bash"}}'] },
    asked: 1,
    hooksMissing: true,
  }),
  "flag-refused": failure(stops, ["exit status 1", "stderr: error: unknown option '--no-such-flag'"], {
    agent: { args: ["--no-such-flag"] },
    asked: 0,
    hooksMissing: true,
  }),
};

function bash(command: string, tokens = 1000, more: object = {}): MessagesTurn {
  return {
    text: "Working.",
    tools: [{ name: "Bash", input: { command, description: "work", ...more } }],
    usage: { input_tokens: tokens },
  };
}

/** In the workspace, which the CLI names in its prompt. */
function write(path: string) {
  return ({ system, messages }: ModelRequest): MessagesTurn => {
    const words = [system, ...messages.map(({ text }) => text)].join("\n");
    const folder = /working directory: (.+)/i.exec(words)?.[1]?.trim() ?? "no folder";
    return { tools: [{ name: "Write", input: { file_path: join(folder, path), content: "{}" } }] };
  };
}

/** Signals the CLI as soon as it waits for this answer, which never comes. */
function signalled(signal: NodeJS.Signals) {
  return ({ session }: ModelRequest): MessagesTurn => {
    signalClaude(session, signal);
    return { hang: true };
  };
}

function refusal(message: string): MessagesTurn {
  return { status: 400, body: apiError("invalid_request_error", message) };
}

function apiError(type: string, message: string): object {
  return { type: "error", error: { type, message } };
}

/** The project's settings of Claude Code. */
function project(settings: object): Record<string, string> {
  return { ".claude/settings.json": JSON.stringify(settings) };
}

/** With one hook. */
function hook(event: string, command: string): Record<string, string> {
  return project({ hooks: { [event]: [{ hooks: [{ type: "command", command }] }] } });
}
