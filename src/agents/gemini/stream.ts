/** Turns the lines of Gemini CLI, and of the program that starts it, into updates. */
import type { z } from "zod";
import { oneLine } from "../../core/text/one-line.ts";
import { delayInWords } from "../../core/session/reset-time.ts";
import type { Dialogue } from "../agent.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import { endingOf, limitOf } from "./ending.ts";
import type { GeminiResult } from "./ending.ts";
import { readJsonLine, summaryOf } from "../lines.ts";
import { lineSchema } from "./lines.ts";
import type {
  toolSchema,
  toolResultSchema,
  errorSchema,
  resultSchema,
  answerSchema,
  exitSchema,
} from "./lines.ts";
import { verdictIn } from "../verdict.ts";

/** The dialogue's memory between lines. */
type Seen = {
  /** The current answer, which arrives in pieces. */
  text: string;
  /** The model has said something since the last tool. */
  answered: boolean;
  /** The CLI has reported its session id. */
  identified: boolean;
  /** The model has answered in this process. */
  begun: boolean;
  contextTokens: number;
  windowTokens: number;
  /** All tokens counted in this process. */
  countedTokens: number;
  /** The answer whose tokens were counted last: Gemini CLI reports it again when its tools have ended. */
  countedAnswer?: string;
  /** Running tools, by the ids of their calls. */
  running: Map<string, string>;
  /** Shell commands whose end was reported, by the ids of their calls. */
  endedCalls: Set<string>;
  /** The CLI's own reason for stopping. */
  error?: string;
  /** The quota error whose wait was too long. */
  waited?: string;
  /** The sum of the silences for which the session was ended. */
  silentMs?: number;
  result?: GeminiResult;
};

/** A dialogue that takes no message while the CLI runs: the hooks pass messages to the model. */
export function readGemini(): Dialogue {
  const seen: Seen = {
    text: "",
    answered: false,
    identified: false,
    begun: false,
    contextTokens: 0,
    windowTokens: 0,
    countedTokens: 0,
    running: new Map(),
    endedCalls: new Set(),
  };
  return {
    read: (line) => readJsonLine(line, lineSchema, (value) => updatesOf(value, seen)),
    message: () => undefined,
  };
}

function updatesOf(line: z.infer<typeof lineSchema>, seen: Seen): AgentUpdate[] {
  switch (line.type) {
    case "init":
      seen.identified = true;
      return [
        {
          type: "identified",
          agentSessionId: line.session_id,
          ...(line.model ? { model: line.model } : {}),
        },
      ];
    case "message":
      return ofMessage(line.content, seen);
    case "tool_use":
      return [...ofText(seen), ofTool(line, seen)];
    case "tool_result":
      return ofToolResult(line, seen);
    case "error":
      return [...ofText(seen), ...ofError(line, seen)];
    case "result":
      seen.result = {
        status: line.status ?? "none",
        message: line.error?.message ?? "",
        atMs: Date.parse(line.timestamp ?? ""),
      };
      return [...ofText(seen), ...ofStats(line.stats, seen)];
    case "monoco_answer":
      return ofAnswer(line, seen);
    case "monoco_begun":
      return seen.begun ? [{ type: "compacted" }] : [];
    case "monoco_hooks":
      return [{ type: "hooks_proved" }];
    case "monoco_wait":
      seen.waited = line.text;
      // The CLI adds up to a fifth to the reset time that it was given.
      return [
        { type: "limit", text: line.text, resetsAtMs: line.atMs + (delayInWords(line.text) ?? line.waitMs) },
      ];
    case "monoco_silent":
      seen.silentMs = line.silentMs;
      return [];
    case "monoco_exit":
      return [...ofText(seen), ...ofExit(line, seen)];
  }
}

const answerCharsMax = 256 * 1024;

function ofMessage(text: string, seen: Seen): AgentUpdate[] {
  seen.text = (seen.text + text).slice(-answerCharsMax);
  seen.answered ||= text.trim() !== "";
  return [];
}

/** Takes the current answer as complete, because another line follows it. */
function ofText(seen: Seen): AgentUpdate[] {
  const { text } = seen;
  seen.text = "";
  if (text.trim() === "") return [];
  const verdict = verdictIn(text);
  return [{ type: "message", text }, ...(verdict ? [verdict] : [])];
}

function ofTool(line: z.infer<typeof toolSchema>, seen: Seen): AgentUpdate {
  seen.answered = false;
  if (line.tool_id) seen.running.set(line.tool_id, line.tool_name);
  const summary = summaryOf(line.parameters) ?? oneLine(Object.keys(line.parameters).join(" "), 200);
  return { type: "tool", name: line.tool_name, summary };
}

/** `policy_violation` is a denial by a policy or a hook; every other refusal has the type of a mistake. */
function ofToolResult({ tool_id: id, error }: z.infer<typeof toolResultSchema>, seen: Seen): AgentUpdate[] {
  const tool = seen.running.get(id);
  seen.running.delete(id);
  if (tool === undefined) return [];
  const denied = error?.type === "policy_violation";
  return [
    ...(denied ? [{ type: "denied", tool } as const] : []),
    { type: "result", ...(error && { error: error.message ?? error.type ?? "" }) },
  ];
}

/** The CLI reports a refused stop as an error, too; another answer follows. */
function ofError(line: z.infer<typeof errorSchema>, seen: Seen): AgentUpdate[] {
  seen.answered = false;
  if (line.message.startsWith("Agent execution blocked")) return [{ type: "refused", error: line.message }];
  seen.error = line.message;
  return [{ type: "message", text: line.message }];
}

function ofAnswer(line: z.infer<typeof answerSchema>, seen: Seen): AgentUpdate[] {
  seen.begun = true;
  return [...ofTokens(line, seen), ...line.commands.flatMap((command) => ofCommand(command, seen))];
}

function ofTokens({ id, tokens, model }: z.infer<typeof answerSchema>, seen: Seen): AgentUpdate[] {
  if (!tokens?.total) return [];
  const isCounted = id ? id === seen.countedAnswer : tokens.total === seen.contextTokens;
  if (isCounted) return [];
  if (id) seen.countedAnswer = id;
  seen.contextTokens = tokens.total;
  seen.windowTokens = windowOf(model ?? "");
  return [ofUsage({ total: tokens.total, input: tokens.input, cached: tokens.cached }, seen)];
}

/** Tokens that were not counted yet: requests outside the conversation, and answers without ids that look alike. */
function ofStats(stats: z.infer<typeof resultSchema>["stats"], seen: Seen): AgentUpdate[] {
  const rest = (stats?.total_tokens ?? 0) - seen.countedTokens;
  return rest > 0 ? [ofUsage({ total: rest }, seen)] : [];
}

type Tokens = { total: number; input?: number | null | undefined; cached?: number | null | undefined };

/** Thoughts are output. A total that is reported without its parts counts as input. */
function ofUsage(tokens: Tokens, seen: Seen): AgentUpdate {
  const { contextTokens, windowTokens } = seen;
  const { total } = tokens;
  seen.countedTokens += total;
  const read = Math.min(tokens.input ?? total, total);
  const cached = Math.min(tokens.cached ?? 0, read);
  const parts = { input: read - cached, cached, output: total - read };
  const window = windowTokens > 0 ? { windowTokens } : {};
  return { type: "usage", contextTokens, ...window, newTokens: total, parts };
}

/** The window of a model, from the CLI's own table, since no line reports it. The CLI stops by it. */
function windowOf(model: string): number {
  return model.startsWith("gemma-") ? 256_000 : 1_048_576;
}

function ofCommand(
  { id, args, result }: z.infer<typeof answerSchema>["commands"][number],
  seen: Seen,
): AgentUpdate[] {
  const response = result[0]?.functionResponse.response;
  if (!response || seen.endedCalls.has(id)) return [];
  seen.endedCalls.add(id);
  const error = response.error ?? failureIn(response.output ?? "");
  return [{ type: "command", command: args.command, ...(error === undefined ? {} : { error }) }];
}

/** The output of a failed command. The CLI calls every command a success and appends the exit status to its output. */
function failureIn(text: string): string | undefined {
  if (/^Command (?:was (?:automatically )?cancelled|injection detected)/.test(text)) return text;
  const output = text.slice(0, Math.max(0, text.lastIndexOf("\nProcess Group PGID: ")));
  const failed = /\n(?:Exit Code: \d+|Signal: \S+)(?:\nBackground PIDs: .*)?$/.test(output);
  return failed ? output.replace(/^<untrusted_context>\n/, "").replace(/^Output: /, "") : undefined;
}

const evidenceCharsMax = 500;

function ofExit(line: z.infer<typeof exitSchema>, seen: Seen): AgentUpdate[] {
  const exit = {
    exitCode: line.exitCode ?? undefined,
    signal: line.signal ?? undefined,
    stderr: line.stderr ?? "",
  };
  const { ending, evidence } = endingOf({ ...seen, exit, finish: line.finish ?? undefined });
  const limited = ending === "usage_limit" && seen.waited === undefined && seen.result;
  // It names no server.
  const [deadServers] = /^MCP issues detected.*/m.exec(exit.stderr) ?? [];
  return [
    ...(deadServers === undefined ? [] : [{ type: "server_failed", error: deadServers } as const]),
    ...(limited ? [{ type: "limit" as const, ...limitOf(limited) }] : []),
    { type: "ended", ending, evidence: evidence.slice(0, evidenceCharsMax) },
  ];
}
