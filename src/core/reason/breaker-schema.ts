/** Reasons why the circuit breaker changes. */
import { z } from "zod";
import { count, ordinal } from "./fields.ts";

export const breakerReasonSchema = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("no_progress"), sessions: count, max: count, check: z.string().optional() }),
  z.object({ rule: z.literal("same_error"), sessions: count, max: count, check: z.string().optional() }),
  /** `tools`: the tools denied in the last session. */
  z.object({ rule: z.literal("denied"), sessions: count, max: count, tools: z.array(z.string()) }),
  z.object({ rule: z.literal("output_decline"), percent: z.number().int(), max: count }),
  z.object({ rule: z.literal("cool_down_over") }),
  z.object({
    rule: z.literal("probe_failed"),
    session: ordinal,
    sameError: z.boolean(),
    check: z.string().optional(),
  }),
  z.object({ rule: z.literal("probe_succeeded"), session: ordinal }),
  z.object({ rule: z.literal("resumed") }),
]);
export type BreakerReason = z.infer<typeof breakerReasonSchema>;
