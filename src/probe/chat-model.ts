/** A scripted model on loopback that speaks OpenAI's chat completions, streamed: for agents whose provider the user configures. */
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { z } from "zod";
import { cutOff, promptOf, startModel } from "./scripted-model.ts";
import type { Api, ModelScript, ModelServer, Turn } from "./scripted-model.ts";

/** A turn of this API. Its usage reports the sum, and the cached part of it. */
export type ChatTurn = Turn & {
  /** Why the model stopped, if cut off. */
  finish?: "length" | "content_filter";
};
export type ChatScript = ModelScript<ChatTurn>;

const api: Api<ChatTurn> = {
  path: "/v1",
  failing: ["status", "hang", "cut", "deaf"],
  model: "assistant",
  read: ({ path, incoming, text }) => {
    if (!path.endsWith("/chat/completions")) return { status: 404, body: errorOf(404, `no ${path} here`) };
    const body = bodySchema.parse(JSON.parse(text));
    const messages = body.messages.map(({ role, content }) => ({ role, text: textOf(content) }));
    return {
      // Not every CLI names its session: then the person's first message identifies it.
      session: String(incoming.headers["x-session-affinity"] ?? promptOf(messages)),
      model: body.model,
      system: messages.find(({ role }) => role === "system")?.text ?? "",
      messages,
      tools: body.tools.map((tool) => tool.function.name),
    };
  },
  errorOf,
  answer: (answer, turn, { model }) => stream(answer, turn, model),
};

export const startChat = (script: ChatScript): Promise<ModelServer> => startModel(script, api);

function errorOf(_status: number, message: string): object {
  return { error: { message, type: "scripted", param: null, code: null } };
}

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
function textOf(content: z.infer<typeof partsSchema>): string {
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n");
}

/** The fields at the start of every chunk. */
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
  if (turn.cut) return cutOff(answer);
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
