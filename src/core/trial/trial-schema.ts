/** What came of putting the tests of a submission to the test: facts for its Reviewer, its dossier, and the person who is asked. */
import { z } from "zod";

const count = z.number().int().nonnegative();

/**
 * Why nothing came of it. `off`: by a setting. `time`: `review.minutes` was over. `no_checks`: nothing can turn red.
 * `nothing`: the submission changes nothing of the kind. `no_setup`: it could not be set up. `not_needed`: nothing depended on it.
 */
export const notTried = ["off", "time", "no_checks", "nothing", "no_setup", "not_needed"] as const;
export type NotTried = (typeof notTried)[number];

/**
 * The new and changed tests over the base. `fail`: at least one does, as it should. `pass`: none does, though sources changed.
 * `none`: sources are changed, and no test is.
 * `unclear`: what would tell is red or flaky on the base anyway.
 */
const onBaseSchema = z.object({
  result: z.enum(["fail", "pass", "none", "unclear", ...notTried]),
  files: z.array(z.string()).default([]),
  /** The check that turned red. */
  by: z.string().optional(),
});

/** `base_tests`: against the submission's sources. `base_config`: the submission's tests under it. */
export const crossings = ["base_tests", "base_config"] as const;

/** A check that is red when crossed, and green on the submission. `interface`: something that it needs has another name, or is gone. */
const crossedSchema = z.object({
  crossed: z.enum(crossings),
  command: z.string(),
  result: z.enum(["weakened", "interface", "flaky"]),
  files: z.array(z.string()),
  /** Why a person need not look at it: the contract allows the files, or a criterion names what they assert now. */
  excused: z.enum(["allowed", "criterion"]).optional(),
});
export type Crossed = z.infer<typeof crossedSchema>;

const crossingSchema = z.object({
  result: z.enum(["tried", ...notTried]),
  found: z.array(crossedSchema).default([]),
});

/**
 * A change that was taken back: `guarded` where a check or a command of the evidence turned red (`by`); `reached` where one
 * did so only with the changed lines emptied, as of a refactoring.
 */
export const takenBackSchema = z.object({
  file: z.string(),
  /** In the file as submitted. */
  line: z.number().int().positive(),
  lines: count,
  result: z.enum(["guarded", "reached", "unguarded", "unseen"]),
  by: z.string().optional(),
});
export type TakenBack = z.infer<typeof takenBackSchema>;

const takeBackSchema = z.object({
  result: z.enum(["tried", ...notTried]),
  changes: z.array(takenBackSchema).default([]),
  /** How many more could have been taken back. */
  left: count.default(0),
});

/** The time is that of the commands that ran for it, set-up left out. */
export const trialSchema = z.object({
  onBase: onBaseSchema,
  crossing: crossingSchema,
  takeBack: takeBackSchema,
  /** Checks that were green and ended otherwise when they ran again. */
  flaky: z.array(z.string()).optional(),
  /** Sources are changed, no new test fails on the base, and no check guards any change. */
  unguarded: z.literal(true).optional(),
  ms: count,
});
export type Trial = z.infer<typeof trialSchema>;
