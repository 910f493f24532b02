/** Turns the lines of Claude Code's stream into updates, as measured on 2.1.332. */
import { z } from "zod";
import { plainLine } from "../../core/text/sanitize.ts";
import { readJsonLine, summaryOf } from "../lines.ts";
import { closingSchema } from "../../core/exit/closing.ts";
import { proposalSchema } from "../../core/prompt/proposal-schema.ts";
import { verdictSchema } from "../../core/review/verdict-schema.ts";
import type { Dialogue } from "../agent.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import { endingOf, evidenceOf, limitInWords, wordsOf } from "./ending.ts";
import { lineSchema } from "./lines.ts";
import type { Assistant, Block, Line, LimitInfo, Result, System, ToolResult, Usage } from "./lines.ts";

/** monoco's SessionStart hook prints this on standard error, which the model does not see. A person's hooks do not print it. */
export const hookMarker = "monoco-hooks-loaded";

/** The reader's memory between lines. */
type Seen = {
  agentSessionId?: string;
  /** The last answer that was counted: its blocks come one a line, each with the same figures. */
  messageId?: string;
  model?: string;
  contextTokens: number;
  /** Tokens reported since the last result, whose sum is exact. */
  tokensTold: number;
  /** Running shell commands, by the id of their tool call. */
  commands: Map<string, string>;
  /** Tools that were denied so far. */
  denied: Set<string>;
  /** The kind of the error that the CLI put in place of the model's answer. */
  error?: string | undefined;
};

/** Reads the lines of one process, one after the other. */
export function streamReader(): Dialogue["read"] {
  const seen: Seen = { contextTokens: 0, tokensTold: 0, commands: new Map(), denied: new Set() };
  return (line) => readJsonLine(line, lineSchema, (value) => updatesOf(value, seen));
}

function updatesOf(line: Line, seen: Seen): AgentUpdate[] {
  switch (line.type) {
    case "assistant":
      return ofAssistant(line, seen);
    case "user":
      return line.message.content.flatMap((block) => (block ? ofToolResult(block, seen) : []));
    case "system":
      return ofSystem(line, seen);
    case "rate_limit_event":
      return ofLimit(line.rate_limit_info);
    case "control_response":
      return ofWindow(line.response.response, seen);
    case "result":
      return ofResult(line, seen);
  }
}

/** Skips the context of a subagent, which is not the session's, and the CLI's own text, which is not the model's. */
function ofAssistant(line: Assistant, seen: Seen): AgentUpdate[] {
  if (line.parent_tool_use_id) return [];
  seen.error = line.error ?? undefined;
  if (line.message.model === "<synthetic>") return [];
  return [...ofUsage(line.message, seen), ...line.message.content.flatMap((block) => ofBlock(block, seen))];
}

function ofUsage(message: Assistant["message"], seen: Seen): AgentUpdate[] {
  if (message.model) seen.model = message.model;
  if (!message.usage || (message.id && message.id === seen.messageId)) return [];
  if (message.id) seen.messageId = message.id;
  seen.contextTokens = inputOf(message.usage);
  const newTokens = seen.contextTokens + (message.usage.output_tokens ?? 0);
  seen.tokensTold += newTokens;
  return [{ type: "usage", contextTokens: seen.contextTokens, newTokens }];
}

function inputOf({ input_tokens, cache_read_input_tokens, cache_creation_input_tokens }: Usage): number {
  return (input_tokens ?? 0) + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0);
}

function ofBlock(block: Block, seen: Seen): AgentUpdate[] {
  if (block.type === "text") return block.text.trim() === "" ? [] : [{ type: "message", text: block.text }];
  if (block.type !== "tool_use") return [];
  const { command } = block.input;
  if (block.id && typeof command === "string") seen.commands.set(block.id, command);
  return [
    {
      type: "tool",
      name: block.name,
      summary: summaryOf(block.input) ?? plainLine(jsonWords(block.input)),
    },
  ];
}

function ofToolResult(block: ToolResult, seen: Seen): AgentUpdate[] {
  const command = seen.commands.get(block.tool_use_id);
  seen.commands.delete(block.tool_use_id);
  const ended =
    command === undefined ? ({ type: "result" } as const) : ({ type: "command", command } as const);
  if (!block.is_error) return [ended];
  const { content } = block;
  const error = typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("\n");
  return [{ ...ended, error }];
}

function jsonWords(input: Record<string, unknown>): string {
  try {
    return JSON.stringify(input);
  } catch {
    // JSON.stringify overflows the stack on input nested too deeply, though JSON.parse has read it.
    return Object.keys(input).join(" ");
  }
}

/** `init` arrives with every turn; the first one identifies the session. */
function ofSystem(line: System, seen: Seen): AgentUpdate[] {
  if (line.subtype === "compact_boundary") return [{ type: "compacted" }];
  if (line.subtype === "permission_denied") return ofDenied([line.tool_name ?? ""], seen);
  if (line.subtype === "hook_response") return provesHooks(line) ? [{ type: "hooks_proved" }] : [];
  if (line.subtype !== "init" || !line.session_id || line.session_id === seen.agentSessionId) return [];
  seen.agentSessionId = line.session_id;
  if (line.model) seen.model = line.model;
  const dead = (line.mcp_servers ?? []).filter(({ status }) => status === "failed");
  return [
    { type: "identified", agentSessionId: line.session_id, ...(line.model ? { model: line.model } : {}) },
    ...dead.map(({ name }) => ({ type: "server_failed", server: name }) as const),
  ];
}

function provesHooks(line: System): boolean {
  return (
    line.hook_event === "SessionStart" && line.exit_code === 0 && (line.stderr ?? "").includes(hookMarker)
  );
}

/** Only a used-up limit names its reset time (in seconds); a busy server's 429 looks alike but names none. */
function ofLimit(info: LimitInfo): AgentUpdate[] {
  if (info.status !== "rejected" || !info.resetsAt || info.isUsingOverage) return [];
  const window = (info.rateLimitType ?? "usage").replaceAll("_", " ");
  return [
    { type: "limit", resetsAtMs: Math.round(info.resetsAt * 1000), text: `the ${window} limit is used up` },
  ];
}

/** The total is the CLI's estimate: it counts until the model has reported a figure of its own. */
function ofWindow(window: { totalTokens: number; maxTokens: number }, seen: Seen): AgentUpdate[] {
  seen.contextTokens ||= window.totalTokens;
  return [{ type: "usage", contextTokens: seen.contextTokens, windowTokens: window.maxTokens }];
}

function ofResult(result: Result, seen: Seen): AgentUpdate[] {
  const spent = limitInWords(result);
  const ending = spent ? "usage_limit" : endingOf(result, seen.error);
  return [
    ...ofTotals(result, seen),
    ...ofVerdict(result),
    ...ofDenied(
      (result.permission_denials ?? []).map(({ tool_name }) => tool_name),
      seen,
    ),
    ...(spent ? [spent] : []),
    { type: "ended", ending, evidence: evidenceOf(result) },
  ];
}

function ofTotals(result: Result, seen: Seen): AgentUpdate[] {
  const newTokens = Math.max(0, tokensSince(result) - seen.tokensTold);
  seen.tokensTold = 0;
  if (seen.contextTokens === 0) return [];
  const usage: AgentUpdate = { type: "usage", contextTokens: seen.contextTokens, newTokens };
  const windowTokens = result.modelUsage?.[seen.model ?? ""]?.contextWindow;
  if (windowTokens) usage.windowTokens = windowTokens;
  if (typeof result.total_cost_usd === "number") usage.costUsd = result.total_cost_usd;
  return [usage];
}

/** All tokens used since the last result. Only a result reports the size of the output and the subagents' share. */
function tokensSince({ usage, model_usage_since_last_result: models }: Result): number {
  const byModel = Object.values(models ?? {}).reduce(
    (sum, one) =>
      sum +
      (one.inputTokens ?? 0) +
      (one.outputTokens ?? 0) +
      (one.cacheReadInputTokens ?? 0) +
      (one.cacheCreationInputTokens ?? 0),
    0,
  );
  return Math.max(byModel, usage ? inputOf(usage) + (usage.output_tokens ?? 0) : 0);
}

/**
 * Reports a rule's denial at once: a session may be stopped before its result. A hook's denial is reported only with the
 * result. The same tool may be denied many times.
 */
function ofDenied(tools: readonly string[], seen: Seen): AgentUpdate[] {
  const before = seen.denied.size;
  for (const tool of tools.filter(Boolean)) seen.denied.add(tool);
  return [...seen.denied].slice(before).map((tool) => ({ type: "denied", tool }));
}

/** The CLI shows the model the faults of a verdict five times, then gives up. */
function ofVerdict(result: Result): AgentUpdate[] {
  if (result.terminal_reason === "structured_output_retry_exhausted") {
    return [{ type: "verdict_malformed", text: wordsOf(result) }];
  }
  if (result.structured_output === undefined || result.structured_output === null) return [];
  const answers = [closingSchema, proposalSchema];
  if (answers.some((schema) => schema.safeParse(result.structured_output).success))
    return [{ type: "message", text: JSON.stringify(result.structured_output) }];
  const verdict = verdictSchema.safeParse(result.structured_output);
  if (verdict.success) return [{ type: "verdict", verdict: verdict.data }];
  return [{ type: "verdict_malformed", text: z.prettifyError(verdict.error) }];
}
