/** The lines that OpenCode's driver prints: shortened events of its server, and a few of its own. */
import { z } from "zod";
import { optionalCount, optionalText } from "../lines.ts";

const optionalNumber = z.number().nullish().catch(undefined);
const optionalSize = z.int().positive().nullish().catch(undefined);
const optionalCost = z.number().nonnegative().nullish().catch(undefined);

export const errorSchema = z.object({
  name: z.string(),
  data: z
    .object({
      message: optionalText,
      statusCode: optionalCount,
      isRetryable: z.boolean().nullish().catch(undefined),
      responseBody: optionalText,
      responseHeaders: z.record(z.string(), z.string()).nullish().catch(undefined),
    })
    .catch({}),
});
export type SessionError = z.infer<typeof errorSchema>;

const toolStateSchema = z.union([
  z.object({ status: z.literal("running"), input: z.record(z.string(), z.unknown()).catch({}) }),
  z.object({
    status: z.literal("completed"),
    input: z.record(z.string(), z.unknown()).catch({}),
    output: optionalText,
    /** The exit status of a shell command; null if the command was killed. */
    metadata: z.object({ exit: z.number().nullish() }).catch({}),
  }),
  z.object({
    status: z.literal("error"),
    input: z.record(z.string(), z.unknown()).catch({}),
    error: optionalText,
  }),
]);

const partSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("text"),
    sessionID: z.string(),
    messageID: z.string(),
    text: z.string(),
    synthetic: z.boolean().nullish().catch(undefined),
  }),
  z.object({
    type: z.literal("tool"),
    sessionID: z.string(),
    tool: z.string(),
    state: toolStateSchema,
  }),
  z.object({
    type: z.literal("step-finish"),
    sessionID: z.string(),
    reason: z.string().catch(""),
    tokens: z.object({ total: optionalCount }).catch({}),
    cost: optionalCost,
  }),
]);
export type Part = z.infer<typeof partSchema>;
export type ToolPart = Part & { type: "tool" };

export const lineSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message.updated"),
    properties: z.object({
      info: z.object({ id: z.string(), sessionID: z.string(), role: z.string(), modelID: optionalText }),
    }),
  }),
  z.object({ type: z.literal("message.part.updated"), properties: z.object({ part: partSchema }) }),
  z.object({
    type: z.literal("session.status"),
    /** The driver's time of the event. */
    atMs: z.number(),
    properties: z.object({
      status: z.object({
        type: z.literal("retry"),
        attempt: z.number().catch(0),
        message: z.string().catch(""),
        next: optionalNumber,
        action: z.object({ reason: z.string() }).nullish().catch(undefined),
      }),
    }),
  }),
  z.object({
    type: z.literal("session.error"),
    atMs: z.number(),
    properties: z.object({ sessionID: z.string(), error: errorSchema }),
  }),
  z.object({ type: z.literal("session.idle"), properties: z.object({ sessionID: z.string() }) }),
  z.object({ type: z.literal("session.compacted"), properties: z.object({ sessionID: z.string() }) }),
  z.object({ type: z.literal("permission.asked"), properties: z.object({ id: z.string() }) }),
  /** The driver's hooks work. */
  z.object({ type: z.literal("monoco.hooks") }),
  z.object({
    type: z.literal("monoco.session"),
    properties: z.object({ sessionID: z.string().min(1), costUsd: optionalCost }),
  }),
  z.object({
    type: z.literal("monoco.window"),
    properties: z.object({ windowTokens: optionalSize }),
  }),
  z.object({
    type: z.literal("monoco.server_failed"),
    properties: z.object({ name: z.string(), error: optionalText }),
  }),
  /** The stop hook had no objection. */
  z.object({ type: z.literal("monoco.stopped") }),
  /** The driver cannot go on. */
  z.object({
    type: z.literal("monoco.failed"),
    properties: z.object({ why: z.enum(["failure", "needs_login"]), message: z.string() }),
  }),
]);
export type Line = z.infer<typeof lineSchema>;
