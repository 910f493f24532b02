/** Reads the lines of Codex's app server and answers them: the turn, its schema, a person's messages. */
import { oneLine } from "../../core/text/one-line.ts";
import type { Dialogue } from "../agent.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import { endOf, ended } from "./ending.ts";
import type { RateLimits } from "./ending.ts";
import { provesHooks } from "./hooks.ts";
import { jsonLine, lineSchema, threadIds } from "./lines.ts";
import type { Item, Line, Notification, Question, Thread } from "./lines.ts";
import { endOfRetry } from "./retry.ts";
import { closingJsonSchema } from "../../core/exit/closing.ts";
import { proposalJsonSchema } from "../../core/prompt/proposal-schema.ts";
import { readVerdict, verdictFormat } from "./verdict.ts";
import { saidIn } from "../lines.ts";

/** The dialogue's memory between lines. */
type Seen = {
  prompt: string;
  reviewer: boolean;
  threadId?: string;
  /** The running turn: only a running turn takes a message. */
  turnId?: string | undefined;
  /** Messages that arrived before the turn had begun. */
  waiting: string[];
  answer: string;
  limits: RateLimits;
  /** How many times in a row the model's stream went silent. */
  stalls: number;
  /** The time of the last line that was not a silence. */
  signAtMs?: number | undefined;
};

export function dialogue(prompt: string): Dialogue {
  const seen: Seen = { prompt, reviewer: false, waiting: [], answer: "", limits: {}, stalls: 0 };
  return {
    read: (line) => {
      const said = saidIn(line, lineSchema);
      return said ? updatesOf(said, seen) : [];
    },
    message: (text) => {
      if (seen.turnId !== undefined) return steering(text, seen);
      seen.waiting.push(text);
      return undefined;
    },
  };
}

const messageId = "message";

function steering(text: string, { threadId, turnId }: Seen): string {
  const params = { threadId, expectedTurnId: turnId, input: [{ type: "text", text }] };
  return jsonLine({ id: messageId, method: "turn/steer", params });
}

function updatesOf(line: Line, seen: Seen): AgentUpdate[] {
  if ("method" in line) return "id" in line ? ofQuestion(line) : ofNotification(line, seen);
  if ("result" in line) return ofThread(line, seen);
  // A message that was too late for its turn does not fail the session.
  return line.id === messageId ? [] : [ended("failure", `${line.id}: ${line.error.message}`)];
}

/** A question in text is kept for a person; a request for permission is refused. */
function ofQuestion({ id, method, params }: Question): AgentUpdate[] {
  const text = (params?.questions ?? []).map(({ question }) => question).join("\n");
  const tool = toolsAskedFor.get(method);
  return [
    ...(text === "" ? [] : [{ type: "question", text } as const]),
    ...(tool === undefined ? [] : [{ type: "denied", tool } as const]),
    refusal(id),
  ];
}

/** A denial by Codex's sandbox is reported to the model only. */
const toolsAskedFor = new Map([
  ["item/commandExecution/requestApproval", "shell"],
  ["item/fileChange/requestApproval", "apply_patch"],
]);

/** Refuses the question: nobody is there to answer, and Codex would wait for ever. */
function refusal(id: string | number): AgentUpdate {
  const error = { code: -32_601, message: "this session is unattended: nobody is there to answer" };
  return { type: "reply", text: jsonLine({ id, error }) };
}

/** The schemas are made on demand: every run loads this file, and few need one. */
const outputSchemas = new Map<string, () => unknown>([
  [threadIds.reviewer, verdictFormat],
  [threadIds.closing, closingJsonSchema],
  [threadIds.proposal, proposalJsonSchema],
]);

function ofThread({ id, result }: Thread, seen: Seen): AgentUpdate[] {
  seen.reviewer = id === threadIds.reviewer;
  seen.threadId = result.thread.id;
  const input = [{ type: "text", text: seen.prompt }];
  const outputSchema = outputSchemas.get(id)?.();
  const params = { threadId: seen.threadId, input, ...(outputSchema === undefined ? {} : { outputSchema }) };
  return [
    { type: "identified", agentSessionId: seen.threadId, ...(result.model ? { model: result.model } : {}) },
    { type: "reply", text: jsonLine({ id: "turn", method: "turn/start", params }) },
  ];
}

/**
 * Ignores other threads: the context, text and end of a subagent are not the session's. Before the answer that names the
 * session's own thread there is no other, and a server that fails may be told already.
 */
function ofNotification(line: Notification, seen: Seen): AgentUpdate[] {
  if (line.method === "account/rateLimits/updated") return ofLimits(line.params.rateLimits, seen);
  if (line.params.threadId !== (seen.threadId ?? line.params.threadId)) return [];
  switch (line.method) {
    case "turn/started":
      noteSign(line.emittedAtMs, seen);
      return ofTurn(line.params.turn.id, seen);
    case "item/started":
      return ofStart(line.params.item);
    case "item/completed":
      noteSign(line.emittedAtMs, seen);
      return ofItem(line.params.item, seen);
    case "thread/tokenUsage/updated":
      noteSign(line.emittedAtMs, seen);
      return ofUsage(line.params.tokenUsage);
    case "hook/completed":
      return ofHook(line.params.run);
    case "mcpServer/startupStatus/updated":
      return ofServer(line.params);
    case "error":
      return ofError(line, seen);
    case "turn/completed":
      return ofEnd(line, seen);
  }
}

type Server = (Notification & { method: "mcpServer/startupStatus/updated" })["params"];

function ofServer({ name, status, error }: Server): AgentUpdate[] {
  if (status !== "failed") return [];
  const why = error?.replace(/^MCP client for .* failed to start: /, "");
  return [{ type: "server_failed", server: name, ...(why ? { error: why } : {}) }];
}

type HookRun = (Notification & { method: "hook/completed" })["params"]["run"];

/** A hook that refuses a tool shows the call in no other line. */
function ofHook(run: HookRun): AgentUpdate[] {
  if (run.status !== "blocked") return provesHooks(run) ? [{ type: "hooks_proved" }] : [];
  return [
    { type: "refused", error: [`${run.eventName} hook`, ...run.entries.map(({ text }) => text)].join(": ") },
  ];
}

function ofTurn(turnId: string, seen: Seen): AgentUpdate[] {
  seen.turnId = turnId;
  return seen.waiting.splice(0).map((text) => ({ type: "reply", text: steering(text, seen) }));
}

function ofStart(item: Item): AgentUpdate[] {
  switch (item.type) {
    case "commandExecution":
      return [tool("shell", commandOf(item))];
    case "fileChange":
      return [tool("apply_patch", item.changes.map(({ path }) => path).join(" "))];
    case "mcpToolCall":
      return [tool(`${item.server}.${item.tool}`, "")];
    case "webSearch":
      return [tool("web_search", item.query)];
    // Codex reports a compaction before it is done: a relay replaces it.
    case "contextCompaction":
      return [{ type: "compacted" }];
    case "agentMessage":
      return [];
  }
}

const summaryLengthMax = 200;

function tool(name: string, summary: string): AgentUpdate {
  return { type: "tool", name, summary: oneLine(summary, summaryLengthMax) };
}

/** The command as the model wrote it, if reported; else with the shell that runs it. */
function commandOf({ command, commandActions }: Item & { type: "commandExecution" }): string {
  return commandActions.map((action) => action.command).join(" && ") || command;
}

function ofItem(item: Item, seen: Seen): AgentUpdate[] {
  if (item.type === "agentMessage") {
    seen.answer = item.text;
    return item.text.trim() === "" ? [] : [{ type: "message", text: item.text }];
  }
  if (item.type === "contextCompaction") return [];
  if (item.type !== "commandExecution") {
    const status = "status" in item ? item.status : "completed";
    return [
      { type: "result", ...(status !== "completed" && { error: `${item.type}: ${status ?? "unknown"}` }) },
    ];
  }
  const command = commandOf(item);
  if (item.status === "completed") return [{ type: "command", command }];
  const status = item.exitCode ?? item.status ?? "unknown";
  return [{ type: "command", command, error: `exit status ${status}\n${item.aggregatedOutput ?? ""}` }];
}

type Usage = (Notification & { method: "thread/tokenUsage/updated" })["params"]["tokenUsage"];

/** A figure without input tokens is Codex's own estimate after a compaction or a context error. */
function ofUsage({ last, modelContextWindow }: Usage): AgentUpdate[] {
  if (last.inputTokens === 0) return [];
  const windowTokens = modelContextWindow ? { windowTokens: modelContextWindow } : {};
  const { totalTokens, inputTokens, outputTokens } = last;
  const cached = Math.min(last.cachedInputTokens, inputTokens);
  const parts = { input: inputTokens - cached, cached, output: outputTokens };
  return [{ type: "usage", contextTokens: totalTokens, newTokens: totalTokens, parts, ...windowTokens }];
}

/** Merges the limits: a notification names only those that changed. */
function ofLimits({ primary, secondary }: RateLimits, { limits }: Seen): AgentUpdate[] {
  if (primary) limits.primary = primary;
  if (secondary) limits.secondary = secondary;
  return [];
}

/** Restarts the measurement of silence. */
function noteSign(atMs: number | undefined, seen: Seen): void {
  seen.stalls = 0;
  seen.signAtMs = atMs;
}

const stallsMax = 2;
/** Longer than one of Codex's silences of five minutes, and shorter than two. */
const silenceMsMax = 8 * 60_000;

/**
 * Ends the session after too much silence. Codex gives a silent stream five minutes and tries six times: longer than a session
 * may be silent. It does not report the first failure of a websocket; the time shows whether that was a silence, too.
 */
function ofError(
  { params: { error, willRetry }, emittedAtMs }: Notification & { method: "error" },
  seen: Seen,
): AgentUpdate[] {
  if (!willRetry) return [];
  const details = error.additionalDetails ?? "";
  if (!details.includes("idle timeout")) {
    noteSign(emittedAtMs, seen);
    return endOfRetry(error, emittedAtMs);
  }
  seen.stalls += 1;
  if (seen.stalls >= stallsMax) return [ended("failure", `${details}, ${stallsMax} times in a row`)];
  const silentMs = (emittedAtMs ?? NaN) - (seen.signAtMs ?? NaN);
  if (!secondTry.test(error.message) || !(silentMs >= silenceMsMax)) return [];
  return [ended("failure", `${details}, after ${Math.round(silentMs / 1000)} s of silence`)];
}

/** "Reconnecting... 2/5" */
const secondTry = /\b2\/\d+$/;

function ofEnd(line: Notification & { method: "turn/completed" }, seen: Seen): AgentUpdate[] {
  const { turn } = line.params;
  seen.turnId = undefined;
  const verdict = seen.reviewer && turn.status === "completed" && seen.answer !== "";
  return [
    ...(verdict ? [readVerdict(seen.answer)] : []),
    ...endOf(turn, { limits: seen.limits, nowMs: line.emittedAtMs }),
  ];
}
