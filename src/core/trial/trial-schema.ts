/** The result of putting a submission's tests to the test: facts for its Reviewer, its dossier, and a person who decides. */
import { z } from "zod";

const count = z.number().int().nonnegative();

/**
 * The reasons for no result. `off`: by a setting. `time`: `review.minutes` was over. `no_checks`: nothing can turn red.
 * `nothing`: the submission changes nothing of the kind. `no_setup`: its set-up failed. `not_needed`: no verdict depends on it.
 */
export const notTried = ["off", "time", "no_checks", "nothing", "no_setup", "not_needed"] as const;
export type NotTried = (typeof notTried)[number];

/**
 * The new and changed tests on the base. `fail`: at least one fails, as it should. `pass`: none fails, though sources changed.
 * `none`: sources changed, but no test.
 * `unclear`: the checks that would show it are red or flaky on the base anyway.
 */
const onBaseSchema = z.object({
  result: z.enum(["fail", "pass", "none", "unclear", ...notTried]),
  files: z.array(z.string()).default([]),
  /** The check that turned red. */
  by: z.string().optional(),
  /** It reported that a new name is missing, and no failed assertion. */
  lacks: z.literal(true).optional(),
});

/** `base_tests`: the base's tests on the submission's sources. `base_config`: the submission's tests under the base's configuration. */
export const crossings = ["base_tests", "base_config"] as const;

/**
 * A check that is red when crossed, and green on the submission. `interface`: a name that it needs has changed or is gone.
 * `uncertain`: what was laid back may belong to the work.
 */
const crossedSchema = z.object({
  crossed: z.enum(crossings),
  command: z.string(),
  result: z.enum(["weakened", "interface", "uncertain", "flaky"]),
  files: z.array(z.string()),
  /** The reason why no person has to see it: the contract allows the files, or a criterion names the values that they now assert. */
  excused: z.enum(["allowed", "criterion"]).optional(),
});
export type Crossed = z.infer<typeof crossedSchema>;

const crossingSchema = z.object({
  result: z.enum(["tried", ...notTried]),
  found: z.array(crossedSchema).default([]),
});

/**
 * A change that was taken back. `guarded`: a check or a command of the evidence (`by`) turned red. `reached`: one
 * turned red only when the changed lines were emptied, as in a refactoring.
 */
export const takenBackSchema = z.object({
  file: z.string(),
  /** The line in the submitted file. */
  line: z.number().int().positive(),
  lines: count,
  result: z.enum(["guarded", "reached", "unguarded", "unseen"]),
  by: z.string().optional(),
});
export type TakenBack = z.infer<typeof takenBackSchema>;

const takeBackSchema = z.object({
  result: z.enum(["tried", ...notTried]),
  changes: z.array(takenBackSchema).default([]),
  /** The number of further changes that could be taken back. */
  left: count.default(0),
});

/** The trial. Its time is that of its commands, without set-up. */
export const trialSchema = z.object({
  onBase: onBaseSchema,
  crossing: crossingSchema,
  takeBack: takeBackSchema,
  /** Checks that were green and ended differently when they ran again. */
  flaky: z.array(z.string()).optional(),
  /** Sources changed, no new test fails on the base, and no check guards any change. */
  unguarded: z.literal(true).optional(),
  ms: count,
});
export type Trial = z.infer<typeof trialSchema>;
