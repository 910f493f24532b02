/** A scripted model on loopback that speaks the Gemini API: the real Gemini CLI runs its real tools and hooks, for free. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { conversationOf, listen, turnOf } from "./scripted-model.ts";
import type { ModelRequest, ModelScript, ModelServer, Turn } from "./scripted-model.ts";

/** What this API can do beside a `Turn`. */
export type GeminiTurn = Turn & {
  /** Why the answer ends. */
  finish?: string;
};

/** As in `Conversation`: a last turn that is no whole answer is repeated. */
export type GeminiScript = ModelScript<GeminiTurn>;

export async function startGemini(script: GeminiScript): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  return listen({
    path: "",
    requests,
    serve: (incoming, answer) => serve({ incoming, answer, script, requests }),
    refuse,
  });
}

/** What the API says when a quota is used up until `resetsAtMs`. */
export function usedUp(resetsAtMs: number): GeminiTurn {
  const seconds = Math.max(1, Math.ceil((resetsAtMs - Date.now()) / 1000));
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` };
  return { status: 429, body: errorOf(429, "Quota exceeded.", [retry]) };
}

type Exchange = {
  incoming: IncomingMessage;
  answer: ServerResponse;
  script: GeminiScript;
  requests: ModelRequest[];
};

async function serve({ incoming, answer, script, requests }: Exchange): Promise<void> {
  const raw = await text(incoming);
  const path = new URL(incoming.url ?? "/", "http://localhost").pathname;
  const [, model = "", method = ""] = /\/models\/([^:]+):(\w+)$/.exec(path) ?? [];
  if (method === "countTokens") return json(answer, 200, { totalTokens: Math.ceil(raw.length / 4) });
  if (method !== "streamGenerateContent" && method !== "generateContent")
    return refuse(answer, `no ${path} here`, 404);
  const body = bodySchema.parse(JSON.parse(raw));
  // Asked beside the conversation: which model to take, whether it goes round in circles.
  if (body.tools.length === 0) return json(answer, 200, chunkOf({ text: "{}" }, model));
  const request = requestOf(body, incoming.headers, { model, script, requests });
  requests.push(request);
  const turn = turnOf(script, request, failing);
  if (!turn) {
    throw new Error(`the script has no turn ${request.turn} for conversation ${request.conversation}`);
  }
  if (turn.deaf) return;
  if (turn.delayMs) await sleep(turn.delayMs);
  if (turn.status) return json(answer, turn.status, turn.body ?? errorOf(turn.status));
  stream(answer, turn, model);
}

const failing = ["status", "hang", "cut", "deaf"] as const;

const partSchema = z.looseObject({
  text: z.string().optional(),
  functionResponse: z.unknown().optional(),
});
const contentSchema = z.looseObject({ role: z.string().default("user"), parts: z.array(partSchema) });
const bodySchema = z.looseObject({
  systemInstruction: contentSchema.optional(),
  contents: z.array(contentSchema),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).default([]) }))
    .default([]),
});
type Body = z.infer<typeof bodySchema>;

type Known = Pick<Exchange, "script" | "requests"> & { model: string };

function requestOf(body: Body, headers: IncomingHttpHeaders, known: Known): ModelRequest {
  const { model, script, requests } = known;
  const messages = body.contents.map(({ role, parts }) => ({ role, text: textOf(parts) }));
  const firstAnswer = messages.findIndex(({ role }) => role === "model");
  const prompt = wordsOf(messages.slice(0, firstAnswer < 0 ? messages.length : firstAnswer));
  const conversation = conversationOf(script, prompt);
  const lastAnswer = messages.findLastIndex(({ role }) => role === "model");
  return {
    // Told nowhere: a conversation is known by its prompt.
    session: "",
    turn: requests.filter((request) => request.conversation === conversation).length,
    conversation,
    model,
    system: textOf(body.systemInstruction?.parts ?? []),
    prompt,
    messages,
    tail: wordsOf(messages.slice(lastAnswer + 1)),
    tools: body.tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)),
    headers,
  };
}

function wordsOf(messages: ReadonlyArray<{ text: string }>): string {
  return messages.map((message) => message.text).join("\n");
}

function textOf(parts: z.infer<typeof contentSchema>["parts"]): string {
  return parts
    .map((part) => part.text ?? (part.functionResponse ? JSON.stringify(part.functionResponse) : ""))
    .join("\n");
}

const answerTokens = 50;

function chunkOf(turn: GeminiTurn, model: string) {
  const parts = [
    ...(turn.text === undefined ? [] : [{ text: turn.text }]),
    ...(turn.tools ?? []).map(({ name, input }) => ({ functionCall: { name, args: input } })),
  ];
  const promptTokenCount = turn.usage?.input_tokens ?? 1_000;
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: turn.finish ?? "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount,
      candidatesTokenCount: answerTokens,
      totalTokenCount: promptTokenCount + answerTokens,
    },
    modelVersion: model,
  };
}

function stream(answer: ServerResponse, turn: GeminiTurn, model: string): void {
  const send = (chunk: object) => answer.write(`data: ${JSON.stringify(chunk)}\r\n\r\n`);
  answer.writeHead(200, { "content-type": "text/event-stream" });
  if (turn.hang || turn.cut) {
    const parts = [{ text: turn.text ?? "Begun" }];
    send({ candidates: [{ content: { role: "model", parts }, index: 0 }], modelVersion: model });
    if (turn.cut) setTimeout(() => answer.destroy(), 20);
    return;
  }
  send(chunkOf(turn, model));
  answer.end();
}

const errorNames: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

/** An error as the API words it; `details` say when to retry, or which quota is used up. */
export function errorOf(status: number, message = `scripted ${status}`, details: object[] = []): object {
  return { error: { code: status, message, status: errorNames[status] ?? "UNKNOWN", details } };
}

function refuse(answer: ServerResponse, message: string, status = 400): void {
  json(answer, status, errorOf(status, `scripted model: ${message}`));
}

function json(answer: ServerResponse, status: number, body: unknown): void {
  answer.writeHead(status, { "content-type": "application/json" });
  answer.end(JSON.stringify(body));
}
