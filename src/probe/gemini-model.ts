/** A scripted model on loopback that speaks the Gemini API: the real Gemini CLI runs its real tools and hooks, without cost. */
import type { ServerResponse } from "node:http";
import { z } from "zod";
import { cutOff, joined, startModel } from "./scripted-model.ts";
import type { Api, ModelScript, ModelServer, Turn } from "./scripted-model.ts";

/** A turn of this API. */
export type GeminiTurn = Turn & {
  /** Why the answer ends. */
  finish?: string;
};

/** As in `Conversation`: a last turn that is not a complete answer is repeated. */
export type GeminiScript = ModelScript<GeminiTurn>;

const api: Api<GeminiTurn> = {
  path: "",
  failing: ["status", "hang", "cut", "deaf"],
  model: "model",
  read: ({ path, text }) => {
    const [, model = "", method = ""] = /\/models\/([^:]+):(\w+)$/.exec(path) ?? [];
    if (method === "countTokens") return { status: 200, body: { totalTokens: Math.ceil(text.length / 4) } };
    if (method !== "streamGenerateContent" && method !== "generateContent")
      return { status: 404, body: errorOf(404, `scripted model: no ${path} here`) };
    const body = bodySchema.parse(JSON.parse(text));
    // A request outside the conversation: which model to use, or whether the agent repeats itself.
    if (body.tools.length === 0) return { status: 200, body: chunkOf({ text: "{}" }, model) };
    const messages = body.contents.map(({ role, parts }) => ({ role, text: textOf(parts) }));
    const firstAnswer = messages.findIndex(({ role }) => role === "model");
    return {
      // The requests do not name the session.
      session: undefined,
      model,
      system: textOf(body.systemInstruction?.parts ?? []),
      prompt: joined(messages.slice(0, firstAnswer < 0 ? messages.length : firstAnswer)),
      messages,
      tools: body.tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)),
    };
  },
  errorOf,
  answer: (answer, turn, { model }) => stream(answer, turn, model),
};

export const startGemini = (script: GeminiScript): Promise<ModelServer> => startModel(script, api);

/** The API's answer when a quota is used up until `resetsAtMs`. */
export function usedUp(resetsAtMs: number): GeminiTurn {
  const seconds = Math.max(1, Math.ceil((resetsAtMs - Date.now()) / 1000));
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` };
  return { status: 429, body: errorOf(429, "Quota exceeded.", [retry]) };
}

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
    if (turn.cut) cutOff(answer);
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
