/** The lines of Claude Code's stream that monoco reads. A field of an unexpected type is ignored. */
import { z } from "zod";
import { optionalCount, optionalText } from "../lines.ts";

/** Our request for the size of the window, which the CLI answers at once. */
export const windowRequestId = "monoco-window";

const optionalNumber = z.number().nullish().catch(undefined);
const optionalSize = z.int().positive().nullish().catch(undefined);
const optionalCost = z.number().nonnegative().nullish().catch(undefined);
/** Seconds since 1970. */
const optionalTime = z.number().nonnegative().max(1e11).nullish().catch(undefined);

const blockSchema = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("tool_use"),
    id: optionalText,
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({ type: z.string().transform(() => "other" as const) }),
]);

const usageSchema = z.object({
  input_tokens: optionalCount,
  cache_read_input_tokens: optionalCount,
  cache_creation_input_tokens: optionalCount,
  output_tokens: optionalCount,
});
export type Usage = z.infer<typeof usageSchema>;

const assistantSchema = z.object({
  type: z.literal("assistant"),
  parent_tool_use_id: optionalText,
  error: optionalText,
  message: z.object({
    id: optionalText,
    model: optionalText,
    content: z.array(blockSchema).catch([]),
    usage: usageSchema.nullish().catch(undefined),
  }),
});

/** A tool's result; a person's own message has no such block. */
const toolResultSchema = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  is_error: z.boolean().nullish().catch(undefined),
  content: z.union([z.string(), z.array(z.object({ text: optionalText }))]).catch(""),
});

const userSchema = z.object({
  type: z.literal("user"),
  message: z.object({
    content: z.array(z.union([toolResultSchema, z.unknown().transform(() => undefined)])).catch([]),
  }),
});

const systemSchema = z.object({
  type: z.literal("system"),
  subtype: optionalText,
  session_id: optionalText,
  model: optionalText,
  hook_event: optionalText,
  exit_code: optionalNumber,
  stderr: optionalText,
  tool_name: optionalText,
  mcp_servers: z
    .array(z.object({ name: z.string(), status: optionalText }))
    .nullish()
    .catch(undefined),
});

const limitSchema = z.object({
  type: z.literal("rate_limit_event"),
  rate_limit_info: z.object({
    status: optionalText,
    resetsAt: optionalTime,
    rateLimitType: optionalText,
    isUsingOverage: z.boolean().nullish().catch(undefined),
  }),
});

const resultSchema = z.object({
  type: z.literal("result"),
  is_error: z.boolean().nullish().catch(undefined),
  terminal_reason: optionalText,
  stop_reason: optionalText,
  /** Answers withheld by the model's safeguards; the CLI goes on after the first one. */
  safety_stops: optionalCount,
  api_error: optionalText,
  api_error_status: optionalNumber,
  result: optionalText,
  errors: z.array(z.string()).nullish().catch(undefined),
  structured_output: z.unknown().optional(),
  permission_denials: z
    .array(z.object({ tool_name: z.string().min(1) }))
    .nullish()
    .catch(undefined),
  total_cost_usd: optionalCost,
  /** The turn's sum. `model_usage_since_last_result` has the same by model, subagents included. */
  usage: usageSchema.nullish().catch(undefined),
  model_usage_since_last_result: z
    .record(
      z.string(),
      z.object({
        inputTokens: optionalCount,
        outputTokens: optionalCount,
        cacheReadInputTokens: optionalCount,
        cacheCreationInputTokens: optionalCount,
      }),
    )
    .nullish()
    .catch(undefined),
  modelUsage: z
    .record(z.string(), z.object({ contextWindow: optionalSize }))
    .nullish()
    .catch(undefined),
});

const controlSchema = z.object({
  type: z.literal("control_response"),
  response: z.object({
    request_id: z.literal(windowRequestId),
    response: z.object({ totalTokens: z.int().nonnegative(), maxTokens: z.int().positive() }),
  }),
});

export const lineSchema = z.discriminatedUnion("type", [
  assistantSchema,
  userSchema,
  systemSchema,
  limitSchema,
  resultSchema,
  controlSchema,
]);

export type Line = z.infer<typeof lineSchema>;
export type Block = z.infer<typeof blockSchema>;
export type ToolResult = z.infer<typeof toolResultSchema>;
export type Assistant = z.infer<typeof assistantSchema>;
export type System = z.infer<typeof systemSchema>;
export type LimitInfo = z.infer<typeof limitSchema>["rate_limit_info"];
export type Result = z.infer<typeof resultSchema>;
