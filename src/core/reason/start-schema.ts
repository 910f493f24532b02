/** Reasons for the start of a session; each may list the accounts that were passed over, and the conversation that it continues. */
import { z } from "zod";
import { accountReasonSchema } from "./account-schema.ts";
import { conversationSchema } from "./conversation-schema.ts";
import { count, ordinal } from "./fields.ts";

const beside = {
  passedOver: z.array(accountReasonSchema).optional(),
  conversation: conversationSchema.optional(),
};
export type Beside = z.infer<z.ZodObject<typeof beside>>;

const meeting = z.object({ ours: z.string(), theirs: z.string() });
/** `mode`: of `review.afterMerge`. `meets`: the first pairs of files, from the submission and from the base's changes since. */
export const baseMetSchema = z.object({
  rule: z.literal("base_met"),
  submission: ordinal,
  base: z.string(),
  mode: z.enum(["auto", "always"]),
  meets: z.array(meeting),
});
export type BaseMet = z.infer<typeof baseMetSchema>;

export const startReasonSchema = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("new_relay"), ...beside }),
  /** `session` 0 is a person's own, before the relay, or what another clone pushed to `remote`. */
  z.object({ rule: z.literal("handed_over"), session: count, remote: z.string().optional(), ...beside }),
  z.object({ rule: z.literal("submission_refused"), ...beside }),
  z.object({ rule: z.literal("merge_trouble"), what: z.enum(["conflict", "checks"]), ...beside }),
  z.object({ rule: z.literal("checks_red"), submission: ordinal, ...beside }),
  z.object({ rule: z.literal("changes_requested"), submission: ordinal, ...beside }),
  z.object({ rule: z.literal("checked"), submission: ordinal, ...beside }),
  z.object({
    rule: z.literal("second_reviewer"),
    approvals: count,
    reviewers: ordinal,
    criticality: z.string(),
    ...beside,
  }),
  baseMetSchema.extend(beside),
  z.object({ rule: z.literal("verdict_not_counted"), ...beside }),
  z.object({ rule: z.literal("verdict_missing"), ...beside }),
]);
export type StartReason = z.infer<typeof startReasonSchema>;
