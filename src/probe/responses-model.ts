/** A scripted model on loopback that speaks OpenAI's Responses API, as Codex uses it: streamed, one response to each request. */
import type { ServerResponse } from "node:http";
import { z } from "zod";
import { cutOff, eventsTo, idOf, joined, startModel } from "./scripted-model.ts";
import type { Api, ModelRequest, ModelScript, ModelServer, Turn } from "./scripted-model.ts";

/** A turn of this API. A `status` below 300 is not a failure. */
export type ResponsesTurn = Omit<Turn, "tools"> & {
  tools?: ReadonlyArray<{ name: string; namespace?: string; input: Record<string, unknown> }>;
  /** End the response in the middle, for this reason. */
  incomplete?: "max_output_tokens" | "content_filter";
  /** Fail inside the stream. */
  failed?: { code: string; message: string };
  /** Refuse as the API does: with a part of the message that is not text. */
  refusal?: string;
};

export type ResponsesRequest = ModelRequest & {
  /** The required format of the answer, if any. */
  format: unknown;
};

/** As in `Conversation`: a last turn that is not a complete answer is repeated. */
export type ResponsesScript = ModelScript<ResponsesTurn, ResponsesRequest>;
export type ResponsesServer = ModelServer<ResponsesRequest>;

/** The API's answer when a plan's limit is used up until `resetsAtMs`: the time is in its headers, in its body, or missing. */
export function usedUp(resetsAtMs: number | undefined, where: "headers" | "body" = "headers"): ResponsesTurn {
  const reset = resetsAtMs === undefined ? undefined : Math.floor(resetsAtMs / 1000);
  const time = reset === undefined ? {} : { resets_at: reset };
  const headers = {
    "x-codex-primary-used-percent": "100",
    "x-codex-primary-window-minutes": "300",
    "x-codex-primary-reset-at": String(reset),
  };
  return {
    status: 429,
    ...(where === "headers" && reset !== undefined ? { headers } : {}),
    body: { error: { type: "usage_limit_reached", plan_type: "plus", message: "limit", ...time } },
  };
}

const api: Api<ResponsesTurn, Pick<ResponsesRequest, "format">> = {
  path: "/v1",
  failing: ["status", "hang", "cut", "deaf", "incomplete", "failed"],
  model: "assistant",
  read: ({ path, incoming, text }) => {
    // The built-in provider first asks for a WebSocket, and goes on without one.
    if (incoming.headers.upgrade) return { status: 426 };
    if (!path.endsWith("/responses")) return { status: 404, body: errorOf(404, `no ${path} here`) };
    const body = bodySchema.parse(JSON.parse(text));
    const messages = body.input.map((item) => ({ role: roleOf(item), text: textOf(item) }));
    return {
      session: String(incoming.headers["thread-id"] ?? "none"),
      model: body.model,
      system: joined(messages.filter(({ role }) => role === "developer")),
      prompt: joined(messages.filter(({ role }) => role === "user")),
      messages,
      tools: body.tools.map(({ name, type }) => name ?? type),
      format: body.text?.format,
    };
  },
  errorOf,
  answer: (answer, turn) => stream(answer, turn),
};

export const startResponses = (script: ResponsesScript): Promise<ResponsesServer> => startModel(script, api);

function errorOf(_status: number, message: string): object {
  return { error: { message, type: "error" } };
}

const partsSchema = z.array(z.looseObject({ text: z.string().optional() }));
const itemSchema = z.looseObject({
  type: z.string(),
  role: z.string().optional(),
  content: z.union([partsSchema, z.string()]).optional(),
  arguments: z.string().optional(),
  output: z.union([partsSchema, z.string()]).optional(),
});
const bodySchema = z.looseObject({
  model: z.string(),
  input: z.array(itemSchema),
  tools: z.array(z.looseObject({ name: z.string().optional(), type: z.string() })).default([]),
  text: z.looseObject({ format: z.unknown().optional() }).optional(),
});
/** The role of an item: calls of tools and thoughts are the model's; the result of a tool is not. */
function roleOf({ role, type }: z.infer<typeof itemSchema>): string {
  return role ?? (type.endsWith("_output") ? "tool" : "assistant");
}

function textOf({ content, output, arguments: args }: z.infer<typeof itemSchema>): string {
  const parts = content ?? output ?? args ?? "";
  return typeof parts === "string" ? parts : parts.map((part) => part.text ?? "").join("\n");
}

function stream(answer: ServerResponse, turn: ResponsesTurn): void {
  const id = idOf("resp");
  const send = eventsTo(answer, turn.headers);
  send("response.created", { response: { id } });
  if (turn.hang) return;
  if (turn.cut) return cutOff(answer);
  for (const item of itemsOf(turn)) send("response.output_item.done", { item });
  if (turn.failed) send("response.failed", { response: { id, error: turn.failed } });
  else if (turn.incomplete) {
    send("response.incomplete", { response: { id, incomplete_details: { reason: turn.incomplete } } });
  } else send("response.completed", { response: { id, usage: usageOf(turn) } });
  answer.end();
}

function itemsOf({ text, refusal, tools = [] }: ResponsesTurn): object[] {
  const parts = [
    ...(text ? [{ type: "output_text", text }] : []),
    ...(refusal ? [{ type: "refusal", refusal }] : []),
  ];
  const message = { type: "message", id: idOf("msg"), role: "assistant", content: parts };
  const calls = tools.map(({ name, input, ...rest }) => ({
    ...rest,
    type: "function_call",
    id: idOf("fc"),
    call_id: idOf("call"),
    name,
    arguments: JSON.stringify(input),
  }));
  return [...(parts.length > 0 ? [message] : []), ...calls];
}

function usageOf({ usage = {} }: ResponsesTurn): object {
  const { input_tokens = 1000, output_tokens = 50, cache_read_input_tokens = 0 } = usage;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cache_read_input_tokens },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + output_tokens,
  };
}
