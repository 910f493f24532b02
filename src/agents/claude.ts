/** The adapter to Claude Code, as measured on 2.1.329: its command line, and what its stream of JSON lines says. */
import { join } from "node:path";
import { z } from "zod";
import { verdictSchema } from "../core/event.ts";
import type { AgentEnding } from "../core/event.ts";
import { shellWord } from "../core/shell.ts";
import type { Agent, AgentRequest, AgentUpdate, Dialogue, Launch } from "./agent.ts";

export const claude: Agent = {
  kind: "claude",
  capabilities: {
    messageOnInput: true,
    stopHook: true,
    liveUsage: true,
    resume: true,
    verdictBySchema: true,
    tellsEnd: true,
    // It compacts at window − 33,000; with that switched off it dies at window − 23,000 (or − 20,000).
    reserveTokens: 33_000,
  },
  program: () => ({ name: "claude", install: "npm install -g @anthropic-ai/claude-code" }),
  passEnv: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_MODEL",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_DISABLE_1M_CONTEXT",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_PROFILE",
    "AWS_REGION",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_VERTEX_PROJECT_ID",
    "CLOUD_ML_REGION",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
  ],
  launch,
  dialogue,
};

/** Only these: the others (timers, monitors, background agents) can keep the process alive after its last answer. */
const tools = "Bash,Edit,Glob,Grep,Read,Write";

/** Written by our own SessionStart hook on standard error, which the model does not see and a person's hooks do not say. */
const hookMarker = "monoco-hooks-loaded";

const windowRequestId = "monoco-window";

const streaming = [
  "claude",
  "-p",
  "--input-format",
  "stream-json",
  "--output-format",
  "stream-json",
  "--verbose",
];

/** Never asks, and works as root, where --dangerously-skip-permissions is refused. */
const unattended = ["--permission-mode", "dontAsk", "--allowedTools", tools, "--tools", tools];

function launch(request: AgentRequest): Launch {
  const settingsPath = join(request.sessionDir, "claude-settings.json");
  return {
    argv: [
      ...streaming,
      request.resume ? "--resume" : "--session-id",
      request.agentSessionId,
      "--settings",
      settingsPath,
      ...unattended,
      ...(request.role === "reviewer" ? reviewerFlags() : []),
      ...(request.settings.model ? ["--model", request.settings.model] : []),
      ...(request.settings.args ?? []),
    ],
    env: { ...environment, ...request.settings.env },
    files: [{ path: settingsPath, text: JSON.stringify(claudeSettings(request.monoco), null, 2) }],
    stdin: userLine(request.prompt) + windowRequest,
    keepStdinOpen: true,
  };
}

/**
 * The verdict by schema (the CLI knows draft 7 only). Without the settings and the CLAUDE.md of the clone: they are the
 * work under review, and must not tell its Reviewer what to do.
 */
function reviewerFlags(): string[] {
  const schema = z.toJSONSchema(verdictSchema, { io: "input", target: "draft-7" });
  return ["--setting-sources", "user", "--json-schema", JSON.stringify(schema)];
}

const environment = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // Ten by default: three silent minutes on a login that is no good. Five are 17 s, and outlast a hiccup.
  CLAUDE_CODE_MAX_RETRIES: "5",
  // A dead connection takes 361 s an attempt, a stream that goes silent 601 s: beyond the relay's own watchdog.
  API_TIMEOUT_MS: "120000",
  CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: "240000",
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
};

/** A relay replaces compaction. A wrong shape in here makes the CLI drop the whole file silently: hence the marker. */
function claudeSettings(monoco: readonly string[]) {
  const hook = (name: string) => [...monoco, "hook", name].map(shellWord).join(" ");
  return {
    autoCompactEnabled: false,
    hooks: {
      SessionStart: hookEntry(`${hook("on-session-start")} && echo ${hookMarker} >&2`),
      Stop: hookEntry(hook("on-stop")),
    },
  };
}

function hookEntry(command: string) {
  return [{ hooks: [{ type: "command", command, timeout: 30 }] }];
}

function userLine(text: string): string {
  return `${JSON.stringify({ type: "user", message: { role: "user", content: [{ type: "text", text }] } })}\n`;
}

/** Answered at once and without the API; otherwise the size of the window is told only at the end. */
const windowRequest = `${JSON.stringify({
  type: "control_request",
  request_id: windowRequestId,
  request: { subtype: "get_context_usage" },
})}\n`;

/** What a dialogue remembers between lines. */
type Seen = {
  agentSessionId?: string;
  /** The last answer that was measured: its blocks come one a line, each with the same figures. */
  messageId?: string;
  model?: string;
  contextTokens: number;
  /** Shell commands that run now, by the id of their tool call. */
  commands: Map<string, string>;
  /** The kind of error that the CLI put into the conversation in the model's place. */
  error?: string | undefined;
};

function dialogue(): Dialogue {
  const seen: Seen = { contextTokens: 0, commands: new Map() };
  const read = (line: string): AgentUpdate[] => {
    const value = jsonOf(line);
    if (value === undefined) return plainText(line);
    const parsed = lineSchema.safeParse(value);
    return parsed.success ? updatesOf(parsed.data, seen) : [];
  };
  return { read, message: userLine };
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** A broken JSON line says nothing; any other text is passed on. */
function plainText(line: string): AgentUpdate[] {
  const text = line.trim();
  return text === "" || text.startsWith("{") ? [] : [{ type: "message", text }];
}

const optionalText = z.string().nullish().catch(undefined);
const optionalNumber = z.number().nullish().catch(undefined);
/** Figures go into the journal, which takes whole ones only. */
const optionalCount = z.int().nonnegative().nullish().catch(undefined);
const optionalSize = z.int().positive().nullish().catch(undefined);
const optionalCost = z.number().nonnegative().nullish().catch(undefined);
/** Seconds since 1970. */
const optionalTime = z.number().nonnegative().max(1e11).nullish().catch(undefined);

const blockSchema = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("tool_use"),
    id: optionalText,
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({ type: z.string().transform(() => "other" as const) }),
]);

const assistantSchema = z.object({
  type: z.literal("assistant"),
  parent_tool_use_id: optionalText,
  error: optionalText,
  message: z.object({
    id: optionalText,
    model: optionalText,
    content: z.array(blockSchema).catch([]),
    usage: z
      .object({
        input_tokens: optionalCount,
        cache_read_input_tokens: optionalCount,
        cache_creation_input_tokens: optionalCount,
      })
      .nullish()
      .catch(undefined),
  }),
});

/** What came back from a tool; a person's own message has no such block. */
const toolResultSchema = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  is_error: z.boolean().nullish().catch(undefined),
  content: z.union([z.string(), z.array(z.object({ text: optionalText }))]).catch(""),
});

const userSchema = z.object({
  type: z.literal("user"),
  message: z.object({
    content: z.array(z.union([toolResultSchema, z.unknown().transform(() => undefined)])).catch([]),
  }),
});

const systemSchema = z.object({
  type: z.literal("system"),
  subtype: optionalText,
  session_id: optionalText,
  model: optionalText,
  hook_event: optionalText,
  exit_code: optionalNumber,
  stderr: optionalText,
});

const limitSchema = z.object({
  type: z.literal("rate_limit_event"),
  rate_limit_info: z.object({
    status: optionalText,
    resetsAt: optionalTime,
    rateLimitType: optionalText,
    isUsingOverage: z.boolean().nullish().catch(undefined),
  }),
});

const resultSchema = z.object({
  type: z.literal("result"),
  is_error: z.boolean().nullish().catch(undefined),
  terminal_reason: optionalText,
  api_error: optionalText,
  api_error_status: optionalNumber,
  result: optionalText,
  errors: z.array(z.string()).nullish().catch(undefined),
  structured_output: z.unknown().optional(),
  total_cost_usd: optionalCost,
  modelUsage: z
    .record(z.string(), z.object({ contextWindow: optionalSize }))
    .nullish()
    .catch(undefined),
});

const controlSchema = z.object({
  type: z.literal("control_response"),
  response: z.object({
    request_id: z.literal(windowRequestId),
    response: z.object({ totalTokens: z.int().nonnegative(), maxTokens: z.int().positive() }),
  }),
});

const lineSchema = z.discriminatedUnion("type", [
  assistantSchema,
  userSchema,
  systemSchema,
  limitSchema,
  resultSchema,
  controlSchema,
]);

type Line = z.infer<typeof lineSchema>;
type Result = z.infer<typeof resultSchema>;

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

/** A subagent's context is not the session's, and the CLI's own words are not the model's. */
function ofAssistant(line: z.infer<typeof assistantSchema>, seen: Seen): AgentUpdate[] {
  if (line.parent_tool_use_id) return [];
  seen.error = line.error ?? undefined;
  if (line.message.model === "<synthetic>") return [];
  return [...ofUsage(line.message, seen), ...line.message.content.flatMap((block) => ofBlock(block, seen))];
}

function ofUsage(message: z.infer<typeof assistantSchema>["message"], seen: Seen): AgentUpdate[] {
  if (message.model) seen.model = message.model;
  if (!message.usage || (message.id && message.id === seen.messageId)) return [];
  if (message.id) seen.messageId = message.id;
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = message.usage;
  seen.contextTokens =
    (input_tokens ?? 0) + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0);
  return [{ type: "usage", contextTokens: seen.contextTokens }];
}

function ofBlock(block: z.infer<typeof blockSchema>, seen: Seen): AgentUpdate[] {
  if (block.type === "text") return block.text.trim() === "" ? [] : [{ type: "message", text: block.text }];
  if (block.type !== "tool_use") return [];
  const { command } = block.input;
  if (block.id && typeof command === "string") seen.commands.set(block.id, command);
  return [{ type: "tool", name: block.name, summary: summaryOf(block.input) }];
}

function ofToolResult(block: z.infer<typeof toolResultSchema>, seen: Seen): AgentUpdate[] {
  const command = seen.commands.get(block.tool_use_id);
  seen.commands.delete(block.tool_use_id);
  if (command === undefined) return [];
  if (!block.is_error) return [{ type: "command", command }];
  const { content } = block;
  const error = typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("\n");
  return [{ type: "command", command, error }];
}

const summaryKeys = ["command", "file_path", "pattern", "path", "verdict", "description"];
const summaryLengthMax = 200;

/** One short line: what the tool is used on. */
function summaryOf(input: Record<string, unknown>): string {
  const key = summaryKeys.find((name) => typeof input[name] === "string");
  const words = key ? String(input[key]) : jsonWords(input);
  const line = words.replaceAll(/\s+/g, " ").trim();
  return line.length > summaryLengthMax ? `${line.slice(0, summaryLengthMax - 1)}…` : line;
}

function jsonWords(input: Record<string, unknown>): string {
  try {
    return JSON.stringify(input);
  } catch {
    // Nested deeper than the stack: what can be parsed cannot always be written again.
    return Object.keys(input).join(" ");
  }
}

/** `init` comes again with every turn; it identifies the session once. */
function ofSystem(line: z.infer<typeof systemSchema>, seen: Seen): AgentUpdate[] {
  if (line.subtype === "compact_boundary") return [{ type: "compacted" }];
  if (line.subtype === "hook_response") return provesHooks(line) ? [{ type: "hooks_proved" }] : [];
  if (line.subtype !== "init" || !line.session_id || line.session_id === seen.agentSessionId) return [];
  seen.agentSessionId = line.session_id;
  if (line.model) seen.model = line.model;
  return [
    { type: "identified", agentSessionId: line.session_id, ...(line.model ? { model: line.model } : {}) },
  ];
}

function provesHooks(line: z.infer<typeof systemSchema>): boolean {
  return (
    line.hook_event === "SessionStart" && line.exit_code === 0 && (line.stderr ?? "").includes(hookMarker)
  );
}

/** Only a used-up limit names the time when it is over (in seconds); a busy server's 429 looks alike but names none. */
function ofLimit(info: z.infer<typeof limitSchema>["rate_limit_info"]): AgentUpdate[] {
  if (info.status !== "rejected" || !info.resetsAt || info.isUsingOverage) return [];
  const window = (info.rateLimitType ?? "usage").replaceAll("_", " ");
  return [
    { type: "limit", resetsAtMs: Math.round(info.resetsAt * 1000), text: `the ${window} limit is used up` },
  ];
}

/** The total is the CLI's estimate: it counts until the model has told its own. */
function ofWindow(window: { totalTokens: number; maxTokens: number }, seen: Seen): AgentUpdate[] {
  seen.contextTokens ||= window.totalTokens;
  return [{ type: "usage", contextTokens: seen.contextTokens, windowTokens: window.maxTokens }];
}

function ofResult(result: Result, seen: Seen): AgentUpdate[] {
  const spent = spendingLimit(result);
  const ending = spent ? "usage_limit" : endingOf(result, seen);
  return [
    ...ofTotals(result, seen),
    ...ofVerdict(result),
    ...(spent ? [spent] : []),
    { type: "ended", ending, evidence: evidenceOf(result) },
  ];
}

function ofTotals(result: Result, seen: Seen): AgentUpdate[] {
  if (seen.contextTokens === 0) return [];
  const usage: AgentUpdate = { type: "usage", contextTokens: seen.contextTokens };
  const windowTokens = result.modelUsage?.[seen.model ?? ""]?.contextWindow;
  if (windowTokens) usage.windowTokens = windowTokens;
  if (typeof result.total_cost_usd === "number") usage.costUsd = result.total_cost_usd;
  return [usage];
}

/** The CLI shows the model what is wrong with a verdict five times, then it gives up. */
function ofVerdict(result: Result): AgentUpdate[] {
  if (result.terminal_reason === "structured_output_retry_exhausted") {
    return [{ type: "verdict_malformed", text: wordsOf(result) }];
  }
  if (result.structured_output === undefined || result.structured_output === null) return [];
  const verdict = verdictSchema.safeParse(result.structured_output);
  if (verdict.success) return [{ type: "verdict", verdict: verdict.data }];
  return [{ type: "verdict_malformed", text: z.prettifyError(verdict.error) }];
}

/** An API key's own spending limit is told in words only, as a 400. */
function spendingLimit(result: Result): (AgentUpdate & { type: "limit" }) | undefined {
  if (result.terminal_reason !== "api_error" || result.api_error_status !== 400) return undefined;
  const words = wordsOf(result);
  if (!/reached your specified API usage limits/i.test(words)) return undefined;
  const [, day, time] = /regain access on (\d{4}-\d\d-\d\d) at (\d\d:\d\d) UTC/.exec(words) ?? [];
  const resetsAtMs = Date.parse(`${day}T${time}:00Z`);
  return { type: "limit", text: words, ...(resetsAtMs >= 0 ? { resetsAtMs } : {}) };
}

const endings: Record<string, AgentEnding> = {
  stop_hook_prevented: "completed",
  hook_stopped: "completed",
  max_turns: "budget",
  budget_exhausted: "budget",
  blocking_limit: "context_limit",
  prompt_too_long: "context_limit",
  rapid_refill_breaker: "context_limit",
  aborted_tools: "interrupted",
  aborted_streaming: "interrupted",
  image_error: "failure",
  structured_output_retry_exhausted: "failure",
};

/** Never by `subtype`, which says "success" of every failed request, nor by the exit status, which is 0 on SIGINT. */
function endingOf(result: Result, seen: Seen): AgentEnding {
  const reason = result.terminal_reason;
  if (!reason) return result.is_error ? "failure" : "unknown";
  if (reason === "completed") return result.is_error === false ? "completed" : "failure";
  if (reason === "api_error") return endingOfError(result, seen);
  return Object.hasOwn(endings, reason) ? endings[reason]! : "unknown";
}

const loginErrors = new Set(["authentication_failed", "billing_error", "oauth_org_not_allowed"]);

function endingOfError(result: Result, seen: Seen): AgentEnding {
  if (result.api_error === "usage_limit_reached") return "usage_limit";
  if (result.api_error_status === 401 || result.api_error_status === 403) return "needs_login";
  return loginErrors.has(seen.error ?? "") ? "needs_login" : "failure";
}

const evidenceLengthMax = 500;

function evidenceOf(result: Result): string {
  const facts = [
    `terminal_reason ${result.terminal_reason ?? "(none)"}`,
    result.api_error ? `api_error ${result.api_error}` : "",
    result.api_error_status ? `status ${result.api_error_status}` : "",
    result.is_error ? wordsOf(result) : "",
  ];
  return facts.filter(Boolean).join(", ").slice(0, evidenceLengthMax);
}

function wordsOf(result: Result): string {
  return result.errors?.join("; ") || result.result || "";
}
