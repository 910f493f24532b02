/** The lines of Gemini CLI, and of the program that starts it, as far as monoco reads them. */
import { z } from "zod";
import { optionalCount, optionalText } from "../lines.ts";

const initSchema = z.object({
  type: z.literal("init"),
  session_id: z.string().min(1),
  model: optionalText,
});

const messageSchema = z.object({
  type: z.literal("message"),
  role: z.literal("assistant"),
  content: z.string(),
});

export const toolSchema = z.object({
  type: z.literal("tool_use"),
  tool_name: z.string(),
  tool_id: optionalText,
  parameters: z.record(z.string(), z.unknown()).catch({}),
});

export const toolResultSchema = z.object({
  type: z.literal("tool_result"),
  tool_id: z.string(),
  error: z.object({ type: optionalText, message: optionalText }).nullish().catch(undefined),
});

export const errorSchema = z.object({
  type: z.literal("error"),
  severity: optionalText,
  message: z.string(),
});

export const resultSchema = z.object({
  type: z.literal("result"),
  timestamp: optionalText,
  status: optionalText,
  error: z.object({ type: optionalText, message: optionalText }).nullish().catch(undefined),
  /** Figures of all requests of this process, also those that are in no transcript. */
  stats: z
    .object({
      total_tokens: optionalCount,
    })
    .nullish()
    .catch(undefined),
});

/** A record of the transcript, the only source of these figures and of a command's exit status. */
export const answerSchema = z.object({
  type: z.literal("monoco_answer"),
  id: optionalText,
  model: optionalText,
  tokens: z
    .object({ total: optionalCount, input: optionalCount, cached: optionalCount })
    .nullish()
    .catch(undefined),
  commands: z
    .array(
      z.object({
        id: z.string(),
        args: z.object({ command: z.string().min(1) }),
        result: z
          .array(
            z.object({
              functionResponse: z.object({
                response: z.object({ output: optionalText, error: optionalText }),
              }),
            }),
          )
          .catch([]),
      }),
    )
    .catch([]),
});

const waitSchema = z.object({
  type: z.literal("monoco_wait"),
  text: z.string(),
  atMs: z.int().positive().max(1e14),
  waitMs: z.int().positive().max(1e14),
});

const silentSchema = z.object({ type: z.literal("monoco_silent"), silentMs: z.number().nonnegative() });

export const exitSchema = z.object({
  type: z.literal("monoco_exit"),
  exitCode: z.int().nullish().catch(undefined),
  signal: optionalText,
  finish: optionalText,
  stderr: optionalText,
});

export const lineSchema = z.discriminatedUnion("type", [
  initSchema,
  messageSchema,
  toolSchema,
  toolResultSchema,
  errorSchema,
  resultSchema,
  answerSchema,
  waitSchema,
  silentSchema,
  exitSchema,
  z.object({ type: z.literal("monoco_begun") }),
  z.object({ type: z.literal("monoco_hooks") }),
]);
