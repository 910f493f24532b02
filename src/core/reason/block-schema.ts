/** Reasons why a relay is blocked: a person has to do something. Each has a row in the test that follows every hint. */
import { z } from "zod";
import { isRecord } from "../text/record.ts";
import { accountReasonSchema } from "./account-schema.ts";
import { budgetSpans, budgetUnits } from "./amounts.ts";
import { breakerReasonSchema } from "./breaker-schema.ts";
import { count, ordinal } from "./fields.ts";

const failed = { command: z.string(), exitCode: z.number().int().nullable(), timedOut: z.boolean() };
const said = z.string();

export const blockReasonSchema = z.discriminatedUnion("rule", [
  z.object({
    rule: z.literal("question"),
    session: ordinal,
    text: z.string(),
    answered: z.literal(true).optional(),
  }),
  /** By the criticality of the issue, for protected paths, unverified criteria, findings that only a new file resolves, broken tests, or work that one command alone shows. */
  z.object({
    rule: z.literal("human_gate"),
    submission: ordinal,
    criticality: z.string().optional(),
    protected: z.array(z.string()).optional(),
    criteria: z.array(count).optional(),
    /** Files of the base's tests that the work breaks; or new tests that pass on the base, in older journals. */
    tests: z.array(z.string()).optional(),
    /** The base's tests could not be run on it. */
    notCrossed: z.literal(true).optional(),
    /** No test guards it, and one command is all that shows it. */
    unguarded: z.literal(true).optional(),
    findings: z.array(z.string()).optional(),
  }),
  z.object({ rule: z.literal("checks_failed"), submission: ordinal, failed: z.array(z.object(failed)) }),
  /** The Reviewer was asked once more. `criteria`: those that nothing shows; `why`: all that is left. */
  z.object({
    rule: z.literal("evidence_unclear"),
    submission: ordinal,
    criteria: z.array(count),
    why: z.array(z.string()),
  }),
  z.object({ rule: z.literal("no_verdict"), submission: ordinal, sessions: ordinal }),
  z.object({ rule: z.literal("finding_repeated"), finding: z.string(), title: z.string(), rounds: count }),
  z.object({ rule: z.literal("refusal_repeated"), times: count, why: z.string() }),
  z.object({ rule: z.literal("review_rounds"), rounds: count, max: count }),
  /** `paths`, or `why`, of the last time; neither where that was before the last submission. */
  z.object({
    rule: z.literal("merge_failed"),
    times: count,
    paths: z.array(z.string()).optional(),
    why: z.string().optional(),
  }),
  z.object({ rule: z.literal("sessions_max"), sessions: count, max: count }),
  z.object({ rule: z.literal("breaker_open"), by: breakerReasonSchema }),
  z.object({ rule: z.literal("probes_max"), probes: count, max: count }),
  z.object({
    rule: z.literal("needs_person"),
    accounts: z.array(z.string()),
    of: z.array(accountReasonSchema),
  }),
  /** `reserve`: what the next session will probably take. */
  z.object({
    rule: z.literal("budget"),
    span: z.enum(budgetSpans),
    unit: z.enum(budgetUnits),
    used: z.number(),
    reserve: z.number(),
    max: z.number(),
  }),
  z.object({ rule: z.literal("setup_failed"), ...failed }),
  z.object({ rule: z.literal("base_gone"), base: z.string() }),
  z.object({ rule: z.literal("base_rewritten"), base: z.string(), commit: z.string() }),
  z.object({ rule: z.literal("base_held"), base: z.string(), worktree: z.string(), said }),
  z.object({ rule: z.literal("base_stuck"), base: z.string(), said }),
  z.object({ rule: z.literal("base_moving"), base: z.string(), times: count, submission: ordinal }),
  z.object({
    rule: z.literal("issue_closed"),
    path: z.string(),
    base: z.string(),
    status: z.string(),
    solution: z.string().optional(),
  }),
  /** `changes`: none where the file is gone. */
  z.object({
    rule: z.literal("issue_changed"),
    path: z.string(),
    base: z.string(),
    changes: z.array(z.string()),
  }),
  z.object({ rule: z.literal("issue_broken"), path: z.string(), base: z.string(), said }),
  z.object({ rule: z.literal("branch_ahead"), branch: z.string() }),
  /** Where a worktree has it checked out: either git says why not, or the merge strategy makes the commits anew. */
  z.object({
    rule: z.literal("branch_held"),
    branch: z.string(),
    worktree: z.string().optional(),
    strategy: z.string().optional(),
    said: said.optional(),
  }),
  z.object({ rule: z.literal("branch_moved"), branch: z.string() }),
  z.object({ rule: z.literal("branch_stuck"), branch: z.string(), said }),
  /** Somebody else has pushed to the branch of its pull request. */
  z.object({
    rule: z.literal("pull_request_ahead"),
    branch: z.string(),
    remote: z.string(),
    url: z.string(),
  }),
  z.object({ rule: z.literal("push_failed"), branch: z.string(), remote: z.string(), said }),
]);

/** Of journals that were written before the Reviewer was asked once more. */
export function ofOlderJournals(reason: unknown): unknown {
  if (!isRecord(reason) || reason["rule"] !== "verdict_refused") return reason;
  return { ...reason, rule: "evidence_unclear", criteria: [], why: reason["last"] };
}

export type BlockReason = z.infer<typeof blockReasonSchema>;
export type BlockRule = BlockReason["rule"];
export const blockRules: readonly BlockRule[] = blockReasonSchema.options.map(
  ({ shape }) => shape.rule.value,
);
