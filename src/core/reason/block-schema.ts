/** Reasons why a relay is blocked, so that a person has to act. Each has a row in the test that follows every hint. */
import { z } from "zod";
import { isRecord } from "../text/record.ts";
import { accountReasonSchema } from "./account-schema.ts";
import { budgetSpans, budgetUnits } from "./amounts.ts";
import { breakerReasonSchema } from "./breaker-schema.ts";
import { count, ordinal } from "./fields.ts";

const said = z.string();
const failed = {
  command: z.string(),
  exitCode: z.number().int().nullable(),
  timedOut: z.boolean(),
  /** The last line of its output. */
  last: said.optional(),
  /** Files of the home that its programs may read, and that the sandbox hides. */
  hidden: z.array(said).optional(),
};

export const blockReasonSchema = z.discriminatedUnion("rule", [
  z.object({
    rule: z.literal("question"),
    session: ordinal,
    text: z.string(),
    answered: z.literal(true).optional(),
  }),
  /** A gate of the criticality: for protected paths, unverified criteria, findings that only a new file resolves, broken tests, or work shown by a single command. */
  z.object({
    rule: z.literal("human_gate"),
    submission: ordinal,
    criticality: z.string().optional(),
    protected: z.array(z.string()).optional(),
    criteria: z.array(count).optional(),
    /** Files of the base's tests that the work breaks; in older journals, new tests that pass on the base. */
    tests: z.array(z.string()).optional(),
    /** The base's tests could not be run on the work. */
    notCrossed: z.literal(true).optional(),
    /** No test guards the work, and only one command shows it. */
    unguarded: z.literal(true).optional(),
    findings: z.array(z.string()).optional(),
  }),
  z.object({ rule: z.literal("checks_failed"), submission: ordinal, failed: z.array(z.object(failed)) }),
  /** The Reviewer was asked again. `criteria`: those without evidence; `why`: the remaining reasons. */
  z.object({
    rule: z.literal("evidence_unclear"),
    submission: ordinal,
    criteria: z.array(count),
    why: z.array(z.string()),
  }),
  z.object({ rule: z.literal("no_verdict"), submission: ordinal, sessions: ordinal }),
  z.object({ rule: z.literal("finding_repeated"), finding: z.string(), title: z.string(), rounds: count }),
  z.object({ rule: z.literal("refusal_repeated"), times: count, why: z.string() }),
  /** `findings`: the titles of those that hold back the last submission. */
  z.object({
    rule: z.literal("review_rounds"),
    rounds: count,
    max: count,
    findings: z.array(z.string()).optional(),
  }),
  /** `check`: what fails in the last of these submissions. */
  z.object({ rule: z.literal("red_rounds"), rounds: count, max: count, check: z.string().optional() }),
  /** `paths` or `why` of the last refusal; neither if that was before the last submission. */
  z.object({
    rule: z.literal("merge_failed"),
    times: count,
    paths: z.array(z.string()).optional(),
    why: z.string().optional(),
  }),
  z.object({ rule: z.literal("sessions_max"), sessions: count, max: count, check: z.string().optional() }),
  z.object({ rule: z.literal("breaker_open"), by: breakerReasonSchema }),
  z.object({ rule: z.literal("probes_max"), probes: count, max: count, check: z.string().optional() }),
  z.object({
    rule: z.literal("needs_person"),
    accounts: z.array(z.string()),
    of: z.array(accountReasonSchema),
  }),
  /** `reserve`: the expected use of the next session. */
  z.object({
    rule: z.literal("budget"),
    span: z.enum(budgetSpans),
    unit: z.enum(budgetUnits),
    used: z.number(),
    reserve: z.number(),
    max: z.number(),
  }),
  z.object({ rule: z.literal("setup_failed"), ...failed }),
  /** A set-up or check cannot run on the base, or fails there (`red`). `ignored`: what git ignores, so that no clone has it. */
  z.object({
    rule: z.literal("baseline"),
    ...failed,
    base: z.string(),
    red: z.literal(true).optional(),
    ignored: z.array(z.string()).optional(),
  }),
  /** An approved submission whose commit git does not sign without asking for a passphrase. */
  z.object({ rule: z.literal("unsigned"), submission: ordinal, said }),
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
  /** `changes`: left out if the file is gone. */
  z.object({
    rule: z.literal("issue_changed"),
    path: z.string(),
    base: z.string(),
    changes: z.array(z.string()),
  }),
  z.object({ rule: z.literal("issue_broken"), path: z.string(), base: z.string(), said }),
  z.object({ rule: z.literal("branch_ahead"), branch: z.string() }),
  /** The branch cannot move because a worktree has it checked out: git's refusal, or a merge strategy that makes new commits. */
  z.object({
    rule: z.literal("branch_held"),
    branch: z.string(),
    worktree: z.string().optional(),
    strategy: z.string().optional(),
    said: said.optional(),
  }),
  z.object({ rule: z.literal("branch_moved"), branch: z.string() }),
  z.object({ rule: z.literal("branch_stuck"), branch: z.string(), said }),
  /** Somebody else pushed to the branch of the pull request. */
  z.object({
    rule: z.literal("pull_request_ahead"),
    branch: z.string(),
    remote: z.string(),
    url: z.string(),
  }),
  z.object({ rule: z.literal("push_failed"), branch: z.string(), remote: z.string(), said }),
]);

/** Maps a block of older journals, from before the Reviewer was asked again. */
export function ofOlderJournals(reason: unknown): unknown {
  if (!isRecord(reason) || reason["rule"] !== "verdict_refused") return reason;
  return { ...reason, rule: "evidence_unclear", criteria: [], why: reason["last"] };
}

export type BlockReason = z.infer<typeof blockReasonSchema>;
export type BlockRule = BlockReason["rule"];
export const blockRules: readonly BlockRule[] = blockReasonSchema.options.map(
  ({ shape }) => shape.rule.value,
);
