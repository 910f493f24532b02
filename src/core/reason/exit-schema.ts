/** Reasons of exit detection: why a session looks finished or not, and the evidence of each signal of the vote. */
import { z } from "zod";
import { count } from "./fields.ts";

/** Facts that decide before any claim; `checks` is monoco's own last run of them. */
export const exitFactsSchema = z.object({
  resolved: count,
  total: count,
  checks: z.enum(["passed", "failed", "not_run"]),
  changed: count,
});
export type ExitFacts = z.infer<typeof exitFactsSchema>;

export const exitReasonSchema = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("exit_contradicted"), said: z.string() }),
  z.object({ rule: z.literal("exit_denied") }),
  z.object({ rule: z.literal("exit_checks_failed") }),
  z.object({ rule: z.literal("exit_promise"), given: z.boolean() }),
  z.object({ rule: z.literal("exit_boxes_open") }),
  z.object({ rule: z.literal("exit_signal"), indicators: count, min: count }),
  z.object({ rule: z.literal("exit_vote"), total: z.number(), threshold: z.number() }),
  exitFactsSchema.extend({ rule: z.literal("exit_facts") }),
  z.object({ rule: z.literal("exit_refusal_gone"), was: z.string() }),
  z.object({
    rule: z.literal("exit_closing"),
    done: z.boolean(),
    remaining: z.array(z.string()),
    question: z.string().optional(),
    blockedBy: z.string().optional(),
  }),
]);
export type ExitReason = z.infer<typeof exitReasonSchema>;

const streak = { streak: count, of: count };

/** The evidence of a signal. */
export const signalReasonSchema = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("boxes_resolved"), resolved: count, total: count }),
  z.object({ rule: z.literal("said_done"), ...streak }),
  z.object({ rule: z.literal("changed_tests_only"), ...streak, sharePercent: count.optional() }),
  z.object({ rule: z.literal("strong_words"), said: z.string() }),
  z.object({ rule: z.literal("strong_promise") }),
  z.object({ rule: z.literal("strong_documentation") }),
  z.object({ rule: z.literal("strong_none") }),
]);
export type SignalReason = z.infer<typeof signalReasonSchema>;

export const exitSignalNames = [
  "tasks_complete",
  "consecutive_done",
  "test_only",
  "strong_indicators",
] as const;

/** A signal of the vote, with its numbers. */
export const exitSignalSchema = z.object({
  name: z.enum(exitSignalNames),
  present: z.boolean(),
  weight: z.number(),
  reason: signalReasonSchema,
});
export type ExitSignal = z.infer<typeof exitSignalSchema>;
