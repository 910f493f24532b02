/** What a person can do about a relay that rests, as data: the ways that lead on, each a list of steps. */
import { z } from "zod";

const verdicts = ["approve", "request_changes"] as const;

const stepSchema = z.discriminatedUnion("do", [
  /** The relay goes on, now that something has changed. */
  z.object({ do: z.literal("resume"), note: z.string().optional() }),
  /** The relay goes on though nothing has changed: sessions are paid for, and may end as the last ones did. */
  z.object({ do: z.literal("retry"), note: z.string() }),
  /** A person gives one of these verdicts on the submission under review. */
  z.object({ do: z.literal("judge"), verdicts: z.array(z.enum(verdicts)).min(1) }),
  z.object({ do: z.literal("answer") }),
  z.object({ do: z.literal("say") }),
  /** Commits of a person's own go up for review. */
  z.object({ do: z.literal("submit") }),
  z.object({ do: z.literal("clear"), note: z.string().optional() }),
  z.object({ do: z.literal("open"), note: z.string().optional() }),
  /** `where`: the setting, as the place that holds it names it. */
  z.object({ do: z.literal("raise"), setting: z.string(), where: z.string() }),
  /** What no command of monoco does. */
  z.object({ do: z.literal("by_hand"), what: z.string() }),
]);
export type Step = z.infer<typeof stepSchema>;
export type Way = readonly Step[];

export const hintSchema = z.array(z.array(stepSchema).readonly()).readonly();
export type Hint = readonly Way[];

/** Why a relay is blocked. Each has a row in the test that follows every hint. */
export const blockRules = [
  "question",
  "human_gate",
  "checks_failed",
  "verdict_refused",
  "no_verdict",
  "finding_repeated",
  "refusal_repeated",
  "review_rounds",
  "merge_failed",
  "sessions_max",
  "breaker_open",
  "probes_max",
  "needs_person",
  "budget",
  "setup_failed",
  "base_gone",
  "base_rewritten",
  "base_held",
  "base_stuck",
  "base_moving",
  "issue_closed",
  "issue_changed",
  "issue_broken",
  "branch_ahead",
  "branch_held",
  "branch_moved",
  "branch_stuck",
  "push_failed",
] as const;
export type BlockRule = (typeof blockRules)[number];

export type Block = { rule: BlockRule; because: string; hint: Hint };
