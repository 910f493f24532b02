/** A scripted model on loopback that speaks Claude's messages API: the real CLI runs its real tools and hooks, for free. */
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { conversationOf, listen, turnOf } from "./scripted-model.ts";
import type { ModelRequest, ModelScript, ModelServer, Turn } from "./scripted-model.ts";

/** What this API can do beside a `Turn`. */
export type MessagesTurn = Turn & {
  /** Why the model stopped, if not of itself nor for its tools. */
  finish?: "max_tokens" | "refusal";
};

/** Headers with which the API says that a subscription's limit is used up until `resetsAtMs`. */
export function usageLimitHeaders(resetsAtMs: number): Record<string, string> {
  const reset = String(Math.floor(resetsAtMs / 1000));
  return {
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": reset,
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
    "anthropic-ratelimit-unified-5h-status": "rejected",
    "anthropic-ratelimit-unified-5h-reset": reset,
    "anthropic-ratelimit-unified-5h-utilization": "1.0",
    "anthropic-ratelimit-unified-overage-status": "rejected",
    "anthropic-ratelimit-unified-overage-disabled-reason": "org_level_disabled",
  };
}

export async function startMessages(script: ModelScript<MessagesTurn>): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  return listen({
    path: "",
    requests,
    serve: (incoming, answer) => serve({ incoming, answer, script, requests }),
    refuse,
  });
}

type Exchange = {
  incoming: IncomingMessage;
  answer: ServerResponse;
  script: ModelScript<MessagesTurn>;
  requests: ModelRequest[];
};

async function serve({ incoming, answer, script, requests }: Exchange): Promise<void> {
  const raw = await text(incoming);
  const path = new URL(incoming.url ?? "/", "http://localhost").pathname;
  if (incoming.method !== "POST" || path !== "/v1/messages") return refuse(answer, `no ${path} here`, 404);
  const body = bodySchema.parse(JSON.parse(raw));
  const request = requestOf(body, incoming.headers, { script, requests });
  requests.push(request);
  const turn = turnOf(script, request, failing);
  if (!turn)
    return refuse(answer, `the script has no turn ${request.turn} for conversation ${request.conversation}`);
  if (turn.delayMs) await sleep(turn.delayMs);
  if (turn.status && turn.status >= 300) return sendError(answer, turn);
  if (turn.deaf || (turn.hang && !body.stream)) return;
  if (turn.cut && !body.stream) return void answer.destroy();
  if (body.stream) return stream(answer, turn, body.model);
  json(answer, 200, messageOf(turn, body.model), turn.headers);
}

const failing = ["status", "hang", "cut", "overloaded", "deaf", "finish"] as const;

const blockSchema = z.looseObject({ type: z.string(), text: z.string().optional() });
const textOrBlocks = z.union([z.string(), z.array(blockSchema)]);
const bodySchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  system: textOrBlocks.default(""),
  messages: z.array(z.looseObject({ role: z.string(), content: textOrBlocks })),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
});
type Body = z.infer<typeof bodySchema>;

type Seen = { script: ModelScript<MessagesTurn>; requests: readonly ModelRequest[] };

function requestOf(body: Body, headers: IncomingHttpHeaders, seen: Seen): ModelRequest {
  const session = String(headers["x-claude-code-session-id"] ?? "none");
  const messages = body.messages.map(({ role, content }) => ({ role, text: textOf(content) }));
  const earlier = seen.requests.filter((request) => request.session === session);
  const prompt = messages.find(({ role }) => role === "user")?.text ?? "";
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
  return {
    session,
    turn: earlier.length,
    conversation: earlier[0]?.conversation ?? conversationOf(seen.script, prompt),
    model: body.model,
    system: textOf(body.system),
    prompt,
    messages,
    tail: messages
      .slice(lastAnswer + 1)
      .map((message) => message.text)
      .join("\n"),
    tools: body.tools.map(({ name }) => name),
    headers,
  };
}

function textOf(content: z.infer<typeof textOrBlocks>): string {
  if (typeof content === "string") return content;
  return content.map(blockText).join("\n");
}

function blockText(block: z.infer<typeof blockSchema>): string {
  if (block.text !== undefined) return block.text;
  const inner = textOrBlocks.safeParse(block["content"]);
  return inner.success ? textOf(inner.data) : "";
}

type Block =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> };

function messageOf(turn: MessagesTurn, model: string) {
  const content: Block[] = [];
  if (turn.text) content.push({ type: "text", text: turn.text });
  for (const tool of turn.tools ?? []) content.push({ type: "tool_use", id: idOf("toolu"), ...tool });
  if (content.length === 0) content.push({ type: "text", text: "(nothing)" });
  return {
    id: idOf("msg"),
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: turn.finish ?? (turn.tools?.length ? "tool_use" : "end_turn"),
    stop_sequence: null,
    usage: { ...zeroUsage, ...turn.usage },
  };
}

const zeroUsage = {
  input_tokens: 1000,
  output_tokens: 50,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

function idOf(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}

function stream(answer: ServerResponse, turn: MessagesTurn, model: string): void {
  const { content, stop_reason, usage, ...message } = messageOf(turn, model);
  const send = (type: string, data: object) =>
    answer.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  answer.writeHead(200, { "content-type": "text/event-stream", "request-id": idOf("req"), ...turn.headers });
  send("message_start", {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  });
  if (turn.hang) return;
  if (turn.cut) return void setTimeout(() => answer.destroy(), 20);
  if (turn.overloaded) {
    send("error", { error: { type: "overloaded_error", message: "Overloaded" } });
    return void answer.end();
  }
  content.forEach((block, index) => sendBlock(send, block, index));
  send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  send("message_stop", {});
  answer.end();
}

function sendBlock(send: (type: string, data: object) => void, block: Block, index: number): void {
  const [empty, delta] =
    block.type === "text"
      ? [
          { ...block, text: "" },
          { type: "text_delta", text: block.text },
        ]
      : [
          { ...block, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
        ];
  send("content_block_start", { index, content_block: empty });
  send("content_block_delta", { index, delta });
  send("content_block_stop", { index });
}

const errorTypes: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function sendError(answer: ServerResponse, turn: Turn): void {
  const status = turn.status ?? 500;
  const type = errorTypes[status] ?? "api_error";
  const body = turn.body ?? { type: "error", error: { type, message: `scripted ${status}` } };
  json(answer, status, body, turn.headers);
}

function refuse(answer: ServerResponse, message: string, status = 400): void {
  json(answer, status, {
    type: "error",
    error: { type: "invalid_request_error", message: `scripted model: ${message}` },
  });
}

function json(
  answer: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  answer.writeHead(status, { "content-type": "application/json", "request-id": idOf("req"), ...headers });
  answer.end(JSON.stringify(body));
}
