/** Reasons why an account cannot be used. */
import { z } from "zod";
import { ordinal } from "./fields.ts";

export const accountReasonSchema = z.discriminatedUnion("rule", [
  /** `said`: the agent's own text; `guessed`: the agent named no time. */
  z.object({
    rule: z.literal("usage_limit"),
    agent: z.string(),
    said: z.string().optional(),
    guessed: z.literal(true).optional(),
  }),
  z.object({ rule: z.literal("outage"), agent: z.string(), inARow: ordinal }),
  /** `profile`: the one of AWS that gave no credentials, as `said` by its program. */
  z.object({
    rule: z.literal("needs_login"),
    said: z.string().optional(),
    profile: z.string().optional(),
  }),
  /** `version`, as the program of this kind of agent says it, is older than `least`, which its adapter needs. */
  z.object({
    rule: z.literal("program_old"),
    kind: z.string(),
    version: z.string(),
    least: z.string(),
  }),
]);
export type AccountReason = z.infer<typeof accountReasonSchema>;
