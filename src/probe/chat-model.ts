/** A scripted model on loopback that speaks OpenAI's chat completions, for agents with providers of one's own: streamed. */
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { conversationOf, listen, turnOf } from "./scripted-model.ts";
import type { ModelRequest, ModelScript, ModelServer, Turn } from "./scripted-model.ts";

/** What this API can do beside a `Turn`; of the usage it tells the sum, and what of it was cached. */
export type ChatTurn = Turn & {
  /** Why the model stopped, if not of itself. */
  finish?: "length" | "content_filter";
};
export type ChatScript = ModelScript<ChatTurn>;

export async function startChat(script: ChatScript): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  return listen({
    path: "/v1",
    requests,
    serve: (incoming, answer) => serve({ incoming, answer, script, requests }),
    refuse: (answer, why) =>
      sendError(answer, { status: 400, body: { error: { message: `scripted model: ${why}` } } }),
  });
}

type Exchange = {
  incoming: IncomingMessage;
  answer: ServerResponse;
  script: ChatScript;
  requests: ModelRequest[];
};

async function serve({ incoming, answer, script, requests }: Exchange): Promise<void> {
  const raw = await text(incoming);
  if (incoming.method !== "POST" || !incoming.url?.endsWith("/chat/completions")) {
    throw new Error(`no ${incoming.method} ${incoming.url} here`);
  }
  const body = bodySchema.parse(JSON.parse(raw));
  const request = requestOf(body, incoming.headers, { script, requests });
  requests.push(request);
  const turn = turnOf(script, request, failing);
  if (!turn) {
    throw new Error(`the script has no turn ${request.turn} for conversation ${request.conversation}`);
  }
  if (turn.deaf) return;
  if (turn.delayMs) await sleep(turn.delayMs);
  if (turn.status) return sendError(answer, turn);
  stream(answer, turn, body.model);
}

const failing = ["status", "hang", "cut", "deaf"] as const;

const partsSchema = z.union([
  z.string(),
  z.array(z.looseObject({ text: z.string().optional() })),
  z.null().transform(() => ""),
]);
const bodySchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: partsSchema.default("") })),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
});
type Body = z.infer<typeof bodySchema>;

type Seen = { script: ChatScript; requests: readonly ModelRequest[] };

function requestOf(body: Body, headers: IncomingHttpHeaders, seen: Seen): ModelRequest {
  const messages = body.messages.map(({ role, content }) => ({ role, text: textOf(content) }));
  const prompt = messages.find(({ role }) => role === "user")?.text ?? "";
  // Not every CLI says which session it is: then what the person said first tells.
  const session = String(headers["x-session-affinity"] ?? prompt);
  const earlier = seen.requests.filter((request) => request.session === session);
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
  return {
    session,
    turn: earlier.length,
    conversation: earlier[0]?.conversation ?? conversationOf(seen.script, prompt),
    model: body.model,
    system: messages.find(({ role }) => role === "system")?.text ?? "",
    prompt,
    messages,
    tail: messages
      .slice(lastAnswer + 1)
      .map((message) => message.text)
      .join("\n"),
    tools: body.tools.map((tool) => tool.function.name),
    headers,
  };
}

function textOf(content: z.infer<typeof partsSchema>): string {
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n");
}

/** What every chunk of an answer begins with. */
type Answering = { id: string; object: string; created: number; model: string };

function stream(answer: ServerResponse, turn: ChatTurn, model: string): void {
  const answering: Answering = {
    id: `chatcmpl-${randomUUID()}`,
    object: "chat.completion.chunk",
    created: 0,
    model,
  };
  const send = (chunk: object): void =>
    void answer.write(`data: ${JSON.stringify({ ...answering, ...chunk })}\n\n`);
  const delta = (value: object, finish: string | null = null): void =>
    send({ choices: [{ index: 0, delta: value, finish_reason: finish }] });
  answer.writeHead(200, { "content-type": "text/event-stream", ...turn.headers });
  delta({ role: "assistant", content: turn.hang || turn.cut ? "I be" : "" });
  if (turn.hang) return;
  if (turn.cut) return void setTimeout(() => answer.destroy(), 20);
  const text = turn.text ?? (turn.tools ? "" : "(nothing)");
  if (text !== "") delta({ content: text });
  for (const [index, { name, input }] of (turn.tools ?? []).entries()) {
    const call = { name, arguments: JSON.stringify(input) };
    delta({ tool_calls: [{ index, id: `call_${randomUUID()}`, type: "function", function: call }] });
  }
  delta({}, turn.finish ?? (turn.tools ? "tool_calls" : "stop"));
  send({ choices: [], usage: usageOf(turn) });
  answer.end("data: [DONE]\n\n");
}

function usageOf({ usage = {} }: ChatTurn) {
  const { input_tokens = 1000, cache_read_input_tokens = 0, output_tokens = 50 } = usage;
  const prompt_tokens = input_tokens + cache_read_input_tokens;
  return {
    prompt_tokens,
    completion_tokens: output_tokens,
    total_tokens: prompt_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens: cache_read_input_tokens },
  };
}

function sendError(answer: ServerResponse, { status = 500, headers = {}, body }: ChatTurn): void {
  answer.writeHead(status, { "content-type": "application/json", ...headers });
  const error = { message: `scripted ${status}`, type: "scripted", param: null, code: null };
  answer.end(JSON.stringify(body ?? { error }));
}
