/** Reasons of a session's ending: what monoco stopped it for, and what its stop reason was read off. */
import { z } from "zod";
import { count, ordinal } from "./fields.ts";

/** What a person asked for, where it was not to go on. */
export const personReasonSchema = z.object({ rule: z.literal("person"), asked: z.enum(["stop", "give_up"]) });

export const budgetMarkSchema = z.object({
  rule: z.literal("budget_mark"),
  unit: z.enum(["tokens", "costUsd"]),
  used: z.number(),
  max: z.number(),
});
export type BudgetMarkReason = z.infer<typeof budgetMarkSchema>;

const sameFailureSchema = z.object({ rule: z.literal("same_failure"), command: z.string(), times: count });

/** What monoco stops a session for, or tells it to wrap up for. */
export const stopCauseSchema = z.discriminatedUnion("rule", [
  budgetMarkSchema,
  personReasonSchema,
  sameFailureSchema,
  z.object({ rule: z.literal("budget_spent") }),
  z.object({
    rule: z.literal("context_mark"),
    tokens: z.number(),
    percent: z.number(),
    windowTokens: z.number(),
  }),
  z.object({ rule: z.literal("time_mark"), usedMinutes: z.number(), allowedMinutes: z.number() }),
  z.object({ rule: z.literal("compacted") }),
  z.object({ rule: z.literal("interrupted") }),
  z.object({ rule: z.literal("flooded"), megabytesMax: z.number() }),
  z.object({ rule: z.literal("silent_wait"), said: z.string() }),
  z.object({ rule: z.literal("no_output"), minutes: z.number() }),
  z.object({ rule: z.literal("not_begun"), seconds: z.number() }),
  z.object({ rule: z.literal("lingered"), after: z.enum(["submitted", "handed_over", "asked"]) }),
  z.object({ rule: z.literal("runner_died") }),
  z.object({ rule: z.literal("went_wrong"), said: z.string() }),
]);
export type StopCause = z.infer<typeof stopCauseSchema>;

const exited = z.object({
  rule: z.literal("exited"),
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
});

/** Why a session's commits could not be fetched. */
const unreadableSchema = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("no_workspace") }),
  z.object({ rule: z.literal("no_head") }),
  z.object({ rule: z.literal("fetched_lost") }),
  z.object({ rule: z.literal("foreign_part"), part: z.string() }),
  z.object({ rule: z.literal("git_failed"), said: z.string() }),
]);
export type Unreadable = z.infer<typeof unreadableSchema>;

/** `handoff`: asked for it once more when it had ended, the session left one, or none. */
const stopped = { by: stopCauseSchema, handoff: z.boolean().optional() };

export const endingReasonSchema = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("not_startable"), said: z.string() }),
  /** An approval of a Reviewer that did not end by itself. */
  z.object({ rule: z.literal("approved_and_ended"), by: z.union([stopCauseSchema, exited]) }),
  z.object({ rule: z.literal("verdict_read") }),
  z.object({ rule: z.literal("verdict_malformed") }),
  z.object({ rule: z.literal("no_verdict_given") }),
  z.object({ rule: z.literal("submit_found") }),
  z.object({ rule: z.literal("handoff_found") }),
  z.object({ rule: z.literal("no_handoff_found") }),
  z.object({ rule: z.literal("nothing_found") }),
  z.object({ rule: z.literal("stopped"), ...stopped }),
  z.object({ rule: z.literal("wrapped_up"), ...stopped }),
  z.object({ rule: z.literal("told_to_wrap_up"), ...stopped }),
  z.object({ rule: z.literal("compacted_itself") }),
  z.object({ rule: z.literal("interrupted_outside"), said: z.string() }),
  exited,
  z.object({ rule: z.literal("cut_short") }),
  z.object({ rule: z.literal("wordless") }),
  z.object({ rule: z.literal("verdicts_not_taken"), count: ordinal }),
  z.object({ rule: z.literal("program"), who: z.string() }),
  /** The program began no session that its adapter knows, which was measured on another version. */
  z.object({ rule: z.literal("strange_program"), who: z.string(), measuredOn: z.string().optional() }),
  z.object({ rule: z.literal("hooks_not_seen") }),
  z.object({ rule: z.literal("foreign_commits"), ref: z.string() }),
  /** Its changes to hooks and configuration of git. */
  z.object({ rule: z.literal("settings_set_aside"), paths: z.array(z.string()), to: z.string() }),
  z.object({ rule: z.literal("pipes_removed"), paths: z.array(z.string()) }),
  z.object({ rule: z.literal("git_unreadable"), why: unreadableSchema, kept: z.string().optional() }),
]);
export type EndingReason = z.infer<typeof endingReasonSchema>;

/** A string is what a program said; in journals of before also a sentence of monoco's. */
export const evidenceSchema = z.union([z.string(), endingReasonSchema]);
export type Evidence = z.infer<typeof evidenceSchema>;
