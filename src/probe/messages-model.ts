/** A scripted model on loopback that speaks Claude's messages API: the real CLI runs its real tools and hooks, without cost. */
import type { ServerResponse } from "node:http";
import { z } from "zod";
import { cutOff, eventsTo, idOf, startModel } from "./scripted-model.ts";
import type { Api, ModelScript, ModelServer, Turn } from "./scripted-model.ts";

/** A turn of this API. */
export type MessagesTurn = Turn & {
  /** Why the model stopped, if not by itself or for its tools. */
  finish?: "max_tokens" | "refusal";
};

/** The headers by which the API reports that a subscription's limit is used up until `resetsAtMs`. */
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

const api: Api<MessagesTurn, { streamed: boolean }> = {
  path: "",
  failing: ["status", "hang", "cut", "overloaded", "deaf", "finish"],
  model: "assistant",
  read: ({ path, incoming, text }) => {
    if (incoming.method !== "POST" || path !== "/v1/messages")
      return { status: 404, body: errorOf(404, `scripted model: no ${path} here`) };
    const body = bodySchema.parse(JSON.parse(text));
    return {
      session: String(incoming.headers["x-claude-code-session-id"] ?? "none"),
      model: body.model,
      system: textOf(body.system),
      messages: body.messages.map(({ role, content }) => ({ role, text: textOf(content) })),
      tools: body.tools.map(({ name }) => name),
      streamed: body.stream,
    };
  },
  errorOf,
  answer: (answer, turn, { model, streamed }) => {
    if (streamed) return stream(answer, turn, model);
    if (turn.hang) return;
    if (turn.cut) return void answer.destroy();
    answer.writeHead(200, { "content-type": "application/json", "request-id": idOf("req"), ...turn.headers });
    answer.end(JSON.stringify(messageOf(turn, model)));
  },
};

export const startMessages = (script: ModelScript<MessagesTurn>): Promise<ModelServer> =>
  startModel(script, api);

const blockSchema = z.looseObject({ type: z.string(), text: z.string().optional() });
const textOrBlocks = z.union([z.string(), z.array(blockSchema)]);
const bodySchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  system: textOrBlocks.default(""),
  messages: z.array(z.looseObject({ role: z.string(), content: textOrBlocks })),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
});
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

function stream(answer: ServerResponse, turn: MessagesTurn, model: string): void {
  const { content, stop_reason, usage, ...message } = messageOf(turn, model);
  const send = eventsTo(answer, { "request-id": idOf("req"), ...turn.headers });
  send("message_start", {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  });
  if (turn.hang) return;
  if (turn.cut) return cutOff(answer);
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

function errorOf(status: number, message: string): object {
  return { type: "error", error: { type: errorTypes[status] ?? "api_error", message } };
}
