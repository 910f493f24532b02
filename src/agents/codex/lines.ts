/** The lines of Codex's app server, both ways: JSON-RPC without its version, one message a line. */
import { z } from "zod";
import { optionalText } from "../lines.ts";
import { rateLimitsSchema, turnErrorSchema, turnSchema } from "./ending.ts";

export function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** An answer carries the id of its request: this id tells the dialogue which schema the turn's answer has. */
export const threadIds = {
  executor: "thread",
  reviewer: "thread of a reviewer",
  closing: "thread that is asked once more",
  proposal: "thread that proposes an issue",
};

const itemSchema = z.union([
  z.object({ type: z.literal("agentMessage"), text: z.string() }),
  z.object({
    type: z.literal("commandExecution"),
    command: z.string(),
    commandActions: z.array(z.object({ command: z.string() })).catch([]),
    status: optionalText,
    exitCode: z.int().nullish().catch(undefined),
    aggregatedOutput: optionalText,
  }),
  z.object({
    type: z.literal("fileChange"),
    changes: z.array(z.object({ path: z.string() })).catch([]),
    status: optionalText,
  }),
  z.object({
    type: z.literal("mcpToolCall"),
    server: z.string(),
    tool: z.string(),
    status: optionalText,
  }),
  z.object({ type: z.literal("webSearch"), query: z.string().catch("") }),
  z.object({ type: z.literal("contextCompaction") }),
]);
export type Item = z.infer<typeof itemSchema>;

/** The clock of the process. */
const emittedAtMs = z.int().nonnegative().max(8.64e15).optional().catch(undefined);

const notificationSchema = z.discriminatedUnion("method", [
  z.object({
    method: z.literal("turn/started"),
    params: z.object({ threadId: z.string(), turn: turnSchema }),
    emittedAtMs,
  }),
  z.object({
    method: z.literal("turn/completed"),
    params: z.object({ threadId: z.string(), turn: turnSchema }),
    emittedAtMs,
  }),
  z.object({
    method: z.literal("item/started"),
    params: z.object({ threadId: z.string(), item: itemSchema }),
  }),
  z.object({
    method: z.literal("item/completed"),
    params: z.object({ threadId: z.string(), item: itemSchema }),
    emittedAtMs,
  }),
  z.object({
    method: z.literal("thread/tokenUsage/updated"),
    params: z.object({
      threadId: z.string(),
      tokenUsage: z.object({
        last: z.object({
          totalTokens: z.int().nonnegative(),
          inputTokens: z.int().nonnegative(),
          cachedInputTokens: z.int().nonnegative().catch(0),
          outputTokens: z.int().nonnegative().catch(0),
        }),
        modelContextWindow: z.int().positive().nullish().catch(undefined),
      }),
    }),
    emittedAtMs,
  }),
  z.object({
    method: z.literal("account/rateLimits/updated"),
    params: z.object({ rateLimits: rateLimitsSchema, threadId: z.undefined().optional() }),
  }),
  z.object({
    method: z.literal("mcpServer/startupStatus/updated"),
    params: z.object({
      threadId: z.string(),
      name: z.string(),
      status: z.string(),
      error: optionalText,
    }),
  }),
  z.object({
    method: z.literal("hook/completed"),
    params: z.object({
      threadId: z.string(),
      run: z.object({
        eventName: z.string(),
        source: z.string(),
        status: z.string(),
        entries: z.array(z.object({ text: z.string() })).catch([]),
      }),
    }),
  }),
  z.object({
    method: z.literal("error"),
    params: z.object({ threadId: z.string(), error: turnErrorSchema, willRetry: z.boolean() }),
    emittedAtMs,
  }),
]);
export type Notification = z.infer<typeof notificationSchema>;

/** The server's requests are questions to a person: permission, a choice, a new login. */
const questionSchema = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  params: z
    .object({ questions: z.array(z.object({ question: z.string().min(1) })) })
    .optional()
    .catch(undefined),
});

export type Question = z.infer<typeof questionSchema>;

const failureSchema = z.object({ id: z.string(), error: z.object({ message: z.string() }) });

const threadSchema = z.object({
  id: z.enum(threadIds),
  result: z.object({ thread: z.object({ id: z.string().min(1) }), model: optionalText }),
});

export const lineSchema = z.union([questionSchema, notificationSchema, failureSchema, threadSchema]);
export type Line = z.infer<typeof lineSchema>;
export type Thread = z.infer<typeof threadSchema>;
