/** What the real Codex meets. */
import { hash } from "node:crypto";
import { hooksOf } from "../../../src/agents/codex/hooks.ts";
import { codexVendor as vendor, triedTwice } from "../../../src/probe/codex-vendor.ts";
import type { Provider } from "../../../src/probe/codex-vendor.ts";
import { usedUp } from "../../../src/probe/responses-model.ts";
import type { ResponsesRequest, ResponsesTurn } from "../../../src/probe/responses-model.ts";
import { cliPath } from "../../../test/support/cli.ts";
import { shellTurn } from "../story.ts";
import {
  cellsOf,
  leaveAtHome,
  lookAtLeft,
  stays,
  stops,
  untoldLimitMs,
  wasAlive,
  wasAliveAtHome,
} from "./fault.ts";
import type { Column } from "./fault.ts";

const bash = (command: string): ResponsesTurn => shellTurn(vendor, command, 20_000);
/** In the middle of a tool: else chance has it whether the command is in the stream when a signal ends that. */
const signal = (name: "INT" | "TERM" | "KILL"): string =>
  `until grep -q commandExecution "$MONOCO_SESSION_DIR/stream.jsonl"; do sleep 0.1; done; kill -${name} $PPID; sleep 600`;

const overloaded = { error: { code: "server_is_overloaded", message: "busy" } };
const noCredit = { error: { code: "insufficient_quota", message: "You exceeded your current quota" } };
const notThere = { error: { code: "model_not_found", message: "no such model" } };
const noKey = { error: { message: "Missing bearer or basic authentication" } };
const full = { code: "context_length_exceeded", message: "Your input exceeds the context window." };
const perMinute = "Rate limit reached on tokens per min. Please try again in 600.5s.";
const hour = 3_600_000;
const day = 24 * hour;
const inAnHourMs = Math.floor(Date.now() / 1000) * 1000 + hour;
const inWords = (ms: number) => (): ResponsesTurn => usedUp(Date.now() + ms, "body");

const patience = { silenceMinutes: 0.1 };
/** Far below what it waits by itself. */
const shortSilence = { ...triedTwice, stream_idle_timeout_ms: 500, stream_max_retries: 5 };

const commit = "touch denied.txt && git add -A && git commit -qm Denied";
const readOnly = ["-c", 'sandbox_mode="read-only"'];
const escalated = { sandbox_permissions: "require_escalated", justification: "May I?" };
const patch = `apply_patch <<'END'
*** Begin Patch
*** Add File: asked.txt
+asked
*** End Patch
END`;
const exec = (input: Record<string, unknown>): ResponsesTurn => ({
  tools: [{ name: "exec_command", input }],
});
/** Nobody is there who could be asked: it is refused, and not waited for. */
const asking = (denied: string[]) => ({
  agent: { args: [...readOnly, "-c", 'approval_policy="on-request"'] },
  asked: 3,
  told: "approval request failed",
  denied,
  missing: ["denied.txt", "asked.txt"],
});

const { contextLimit, failure, needsLogin, silent, stopped, usageLimit } = cellsOf<
  ResponsesTurn,
  Provider,
  ResponsesRequest
>();
const usedUpPlan = (turn: Parameters<typeof usageLimit>[0], more: Parameters<typeof usageLimit>[2]) =>
  usageLimit(turn, "You’ve hit your usage limit", more);

export const codexFaults: Column<ResponsesTurn, Provider, ResponsesRequest> = {
  busy: failure({ status: 429 }, "responseTooManyFailedAttempts 429: exceeded retry limit", { asked: 1 }),
  "busy-for-a-second": stopped([{ status: 429, headers: { "retry-after": "1" } }, ...stops], { asked: 3 }),
  "busy-for-minutes": usageLimit(
    { failed: { code: "rate_limit_exceeded", message: perMinute } },
    `rate limit exceeded: ${perMinute}`,
    { asked: 1, resetsInMs: 600_500 },
  ),
  // Codex does not tell until when.
  "busy-for-long": usageLimit(
    { status: 429, headers: { "retry-after": "7200" } },
    "it waits, and does not say how long: responseStreamDisconnected 429",
    { limits: patience, asked: 1, resetsInMs: untoldLimitMs, as: "busy-until-untold" },
  ),
  // Codex does not say a word.
  "busy-in-silence": silent({ status: 503, headers: { "retry-after": "600" } }, 0.1, { asked: 1 }),
  "server-error": failure({ status: 500 }, "internalServerError", { asked: 4 }),
  overloaded: failure({ status: 503, body: overloaded }, "serverOverloaded", { asked: [2, 3] }),
  "bad-request": failure({ status: 400 }, "other: ", { asked: 1 }),
  "connection-cut": failure({ cut: true }, "stream disconnected before completion", { asked: [2, 3] }),
  // It does not wait for a network without end.
  "no-server": failure([], "Connection failed", { unreachable: true, asked: 0 }),
  "never-answers": silent({ deaf: true }, 0.1, { asked: 1 }),
  "silent-stream": failure({ hang: true }, "idle timeout waiting for SSE, 2 times in a row", {
    config: shortSilence,
    asked: [2, 3],
  }),
  stall: silent({ hang: true }, 0.1, { asked: 1 }),
  unauthorized: needsLogin(
    { status: 401, body: { error: { message: "Incorrect API key provided." } } },
    "httpConnectionFailed 401: unexpected status 401 Unauthorized: Incorrect API key",
    { asked: 2 },
  ),
  forbidden: needsLogin({ status: 403 }, "httpConnectionFailed 403", { asked: [2, 3] }),
  "no-key": needsLogin([], "Missing environment variable: `OPENAI_API_KEY`", { login: "no key", asked: 0 }),
  "not-logged-in": needsLogin(
    { status: 401, body: noKey },
    "httpConnectionFailed 401: unexpected status 401 Unauthorized: Missing bearer",
    { login: "never", asked: 6 },
  ),
  "no-credit": needsLogin(
    { status: 429, body: noCredit },
    "Quota exceeded. Check your plan and billing details.",
    { asked: 1 },
  ),
  "no-such-model": needsLogin({ status: 404, body: notThere }, "modelNotFound: no such model", { asked: 1 }),
  "usage-limit": usedUpPlan(usedUp(inAnHourMs), { asked: 1, resetsAtMs: inAnHourMs }),
  "usage-limit-in-words": usedUpPlan(inWords(hour), { asked: 1, resetsInMs: hour }),
  "usage-limit-some-day": usedUpPlan(inWords(30 * day), {
    asked: 1,
    resetsInMs: 30 * day,
  }),
  "usage-limit-without-time": usageLimit(usedUp(undefined), "try again later", {
    asked: 1,
    resetsInMs: untoldLimitMs,
  }),
  "context-full": contextLimit(
    [{ tools: [vendor.shell("true")] }, { status: 400, body: { error: full } }],
    "contextWindowExceeded",
    { asked: 2 },
  ),
  "context-full-in-stream": contextLimit({ failed: full }, "contextWindowExceeded", { asked: 1 }),
  "cut-answer": failure(
    { text: "cut off in the", incomplete: "max_output_tokens" },
    "reason: max_output_tokens",
    { asked: 1 },
  ),
  filtered: failure({ incomplete: "content_filter" }, "reason: content_filter", { asked: [2, 3] }),
  // No submission.
  refusal: stopped([{ refusal: "I cannot help with that." }, { refusal: "I still cannot." }]),
  // Their own sandbox ends nothing, and only the model is told.
  "refused-everything": failure(
    Array.from({ length: 200 }, (_, at) => bash(`touch ${at}`)),
    ["turns in a row came to nothing", "preToolUse hook"],
    { agent: { args: guarded() }, asked: [30, 90], denied: ["preToolUse hook"] },
  ),
  denied: stopped([bash(commit), ...stops], {
    agent: { args: readOnly },
    asked: 3,
    told: "Read-only file system",
    missing: ["denied.txt"],
    as: "",
  }),
  question: stopped([exec({ cmd: "touch asked.txt", ...escalated }), ...stops], asking(["shell"])),
  "question-of-a-patch": stopped([exec({ cmd: patch }), ...stops], asking(["apply_patch"])),
  "nobody-to-ask": stopped([exec({ cmd: commit, ...escalated }), ...stops], {
    ...asking(["shell"]),
    as: "denied",
  }),
  interrupt: failure(bash(signal("INT")), "exit status 130 (killed by signal 2)"),
  terminated: failure(
    bash(signal("TERM")),
    "its process ended (exit status 0) before it had said how it ended",
  ),
  killed: failure(bash(`${leaveAtHome}; ${signal("KILL")}`), "killed by", { made: wasAliveAtHome }),
  orphan: stopped([bash(leaveAtHome), ...stops], { made: wasAliveAtHome }),
  // It does not keep its session alive, either.
  background: stopped(
    [
      { tools: [{ name: "exec_command", input: { cmd: stays, yield_time_ms: 250 } }] },
      bash(`until [ -s left.pid ]; do sleep 0.1; done; ${lookAtLeft}`),
      ...stops,
    ],
    { made: wasAlive },
  ),
};

/** monoco's hooks and one of a person's, which Codex trusts: it refuses every tool, since its script is missing. */
function guarded(): string[] {
  const hook = { async: false, command: "sh missing-guard.sh", timeout: 30, type: "command" };
  const trusted = hash("sha256", JSON.stringify({ event_name: "pre_tool_use", hooks: [hook] }));
  const own = `PreToolUse=[{hooks=[{type="command",command="${hook.command}",timeout=30}]}]`;
  const trust = `"/<session-flags>/config.toml:pre_tool_use:0:0"={trusted_hash="sha256:${trusted}"}`;
  const ours = hooksOf([process.execPath, cliPath]);
  return ["-c", `hooks=${ours.replace("{", `{${own},`).replace("state={", `state={${trust},`)}`];
}
