/** The reasons of a relay's decisions as data: a rule, and its values. */
import { z } from "zod";
import { accountReasonSchema } from "./account-schema.ts";
import { blockReasonSchema } from "./block-schema.ts";
import { breakerReasonSchema } from "./breaker-schema.ts";
import { budgetMarkSchema, personReasonSchema } from "./ending-schema.ts";
import { exitReasonSchema, signalReasonSchema } from "./exit-schema.ts";
import { count, ordinal } from "./fields.ts";
import { startReasonSchema } from "./start-schema.ts";

const submission = { submission: ordinal };
const session = { session: ordinal };

/** Reasons for the next step on existing work. */
export const stepReasonSchema = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("session_open"), ...session }),
  z.object({ rule: z.literal("session_submitted"), ...session }),
  z.object({ rule: z.literal("session_ended"), ...session, how: z.string().optional() }),
  z.object({ rule: z.literal("merge_prepared") }),
  z.object({ rule: z.literal("submission_new"), ...submission }),
  z.object({ rule: z.literal("settled_by_checks"), ok: z.boolean() }),
  z.object({ rule: z.literal("verdict_given"), ...session }),
  z.object({ rule: z.literal("approved"), ...submission, by: z.string() }),
  z.object({ rule: z.literal("looks_finished"), ...session, exit: exitReasonSchema.optional() }),
]);
export type StepReason = z.infer<typeof stepReasonSchema>;

/** Reasons of the hourly rate. */
export const rateReasonSchema = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("sessions_per_hour"), used: count, max: count }),
  z.object({ rule: z.literal("tokens_per_hour"), used: count, max: count }),
]);
export type RateReason = z.infer<typeof rateReasonSchema>;

/** Reasons for starting no session now. */
export const waitReasonSchema = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("back_off"), failed: count }),
  ...rateReasonSchema.options,

  z.object({ rule: z.literal("accounts_suspended"), of: z.array(accountReasonSchema) }),
]);
export type WaitReason = z.infer<typeof waitReasonSchema>;

/** Why a relay is given up. */
const pullRequestClosed = z.object({ rule: z.literal("pull_request_closed"), url: z.string() });
export const cancelReasonSchema = z.discriminatedUnion("rule", [personReasonSchema, pullRequestClosed]);

/** The open demands of a pull request at the last look. */
const pullWaits = z.object({
  pending: z.array(z.string()),
  red: z.array(z.string()),
  stopped: z.array(z.string()),
  decision: z.enum(["approved", "changes_requested", "review_required"]).optional(),
  conflicts: z.literal(true).optional(),
  /** Somebody else pushed to its branch. */
  ahead: z.literal(true).optional(),
  others: count,
});

/** Reasons for having nothing to do. */
export const restReasonSchema = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("no_relay") }),
  /** `pullRequest`: the one that was merged; `missing`: the local base that does not have the merge yet. */
  z.object({
    rule: z.literal("merged"),
    commit: z.string(),
    pullRequest: z.string().optional(),
    missing: z.string().optional(),
  }),
  z.object({ rule: z.literal("nothing_changed") }),
  z.object({ rule: z.literal("taken_over"), base: z.string(), commit: z.string() }),
  z.object({
    rule: z.literal("left"),
    branch: z.string(),
    commit: z.string(),
  }),
  z.object({
    rule: z.literal("pull_request"),
    url: z.string(),
    branch: z.string(),
    base: z.string(),
    commit: z.string(),
    seen: pullWaits.optional(),
  }),
  pullRequestClosed,
  personReasonSchema,
]);
export type RestReason = z.infer<typeof restReasonSchema>;

const sizes = ["simple", "medium", "complex"] as const;

/** Reasons for the choice of a preset. */
export const presetReasonSchema = z.discriminatedUnion("rule", [
  /** `raised`: by the criticality, and to which preset. */
  z.object({
    rule: z.literal("preset_size"),
    criteria: count,
    tasks: count,
    size: z.enum(sizes),
    raised: z.object({ by: z.string(), to: z.enum(sizes) }).optional(),
  }),
]);
export type PresetReason = z.infer<typeof presetReasonSchema>;

export const reasonSchema = z.discriminatedUnion("rule", [
  accountReasonSchema,
  blockReasonSchema,
  breakerReasonSchema,
  exitReasonSchema,
  budgetMarkSchema,
  presetReasonSchema,
  restReasonSchema,
  signalReasonSchema,
  startReasonSchema,
  stepReasonSchema,
  waitReasonSchema,
]);
export type Reason = z.infer<typeof reasonSchema>;
export type Rule = Reason["rule"];
