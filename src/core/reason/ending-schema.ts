/** Reasons for the end of a session: why monoco stopped it, and the evidence for its stop reason. */
import { z } from "zod";
import { count, ordinal } from "./fields.ts";

/** A person's request to stop. */
export const personReasonSchema = z.object({ rule: z.literal("person"), asked: z.enum(["stop", "give_up"]) });

export const budgetMarkSchema = z.object({
  rule: z.literal("budget_mark"),
  unit: z.enum(["tokens", "costUsd"]),
  used: z.number(),
  max: z.number(),
});
export type BudgetMarkReason = z.infer<typeof budgetMarkSchema>;

const sameFailureSchema = z.object({ rule: z.literal("same_failure"), command: z.string(), times: count });

/** Why monoco stops a session, or tells it to wrap up. */
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
  z.object({ rule: z.literal("run_time_up") }),
  z.object({ rule: z.literal("lease_lost"), said: z.string() }),
  z.object({ rule: z.literal("flooded"), megabytesMax: z.number() }),
  z.object({ rule: z.literal("silent_wait"), said: z.string() }),
  z.object({ rule: z.literal("no_output"), minutes: z.number() }),
  z.object({ rule: z.literal("not_begun"), seconds: z.number() }),
  /** `said`: what failed or refused last, such as a hook. */
  z.object({ rule: z.literal("idle_turns"), turns: count, max: z.number(), said: z.string() }),
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

/** `handoff`: whether the session left a handoff when it was asked after its end. */
const stopped = { by: stopCauseSchema, handoff: z.boolean().optional() };

export const endingReasonSchema = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("not_startable"), said: z.string() }),
  /** An approval by a Reviewer that did not end by itself. */
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
  /** The program began no session that its adapter recognises; the adapter was written for another version. */
  z.object({ rule: z.literal("strange_program"), who: z.string(), measuredOn: z.string().optional() }),
  z.object({ rule: z.literal("hooks_not_seen") }),
  z.object({ rule: z.literal("foreign_commits"), ref: z.string() }),
  /** The session's changes to git's hooks and configuration. */
  z.object({ rule: z.literal("settings_set_aside"), paths: z.array(z.string()), to: z.string() }),
  z.object({ rule: z.literal("pipes_removed"), paths: z.array(z.string()) }),
  z.object({ rule: z.literal("git_unreadable"), why: unreadableSchema, kept: z.string().optional() }),
]);
export type EndingReason = z.infer<typeof endingReasonSchema>;

/** A string is output of a program; in older journals it may be a sentence of monoco's. */
export const evidenceSchema = z.union([z.string(), endingReasonSchema]);
export type Evidence = z.infer<typeof evidenceSchema>;
