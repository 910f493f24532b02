/** What the journal holds of verdicts: given, refused for want of evidence, decided. */
import { z } from "zod";
import {
  answerSchema,
  judgedCriterionSchema,
  judgedFindingSchema,
  judgedProbeSchema,
  trends,
  verdictSchema,
} from "../../review/verdict-schema.ts";
import { takenBackSchema } from "../../trial/trial-schema.ts";
import { by, commit, ordinal } from "./fields.ts";

/** A verdict with what monoco found when it looked for itself. */
const judged = {
  criteria: z.array(judgedCriterionSchema).optional(),
  probes: z.array(judgedProbeSchema).optional(),
  findings: z.array(judgedFindingSchema),
  /** Earlier findings that are resolved only as long as new files are there that nothing names. */
  unresolved: z.array(z.string()).optional(),
  /** Why each listed place may stand. */
  answers: z.array(answerSchema).optional(),
  trend: z.enum(trends).optional(),
  summary: z.string().optional(),
  /** What the evidence said of changes that were taken back, and that the checks do not guard. */
  takenBack: z.array(takenBackSchema).optional(),
};

/** The commit of the base that the submission was looked at merged with, once the base had moved. */
const onto = commit;

export const reviewSchemas = [
  z
    .object({
      type: z.literal("review.given"),
      submission: ordinal,
      session: ordinal,
      ...verdictSchema.shape,
    })
    .describe("a Reviewer's verdict, word for word; it decides nothing before it is weighed"),
  z
    .object({
      type: z.literal("review.refused"),
      submission: ordinal,
      session: ordinal,
      verdict: z.enum(["approve", "request_changes"]),
      onto: onto.optional(),
      /** Evidence that is missing or does not reproduce, a failed check, a contradiction. */
      why: z.array(z.string()).min(1),
      ...judged,
    })
    .describe("it does not count, and why: [review.md](review.md)"),
  z
    .object({
      type: z.literal("review.decided"),
      submission: ordinal,
      by: z.enum([...by.options, "pull_request"]),
      session: ordinal.optional(),
      onto: onto.optional(),
      verdict: z.enum(["approve", "request_changes"]),
      ...judged,
      /** A person's: the Reviewer's verdict that it stands against. */
      overrides: z.enum(["approve", "request_changes"]).optional(),
    })
    .describe(
      "a verdict that counts: by whom (`pull_request`: by the checks and the people there), evidence, findings; `overrides` the Reviewer's where a person's stands against it, `onto` the commit of the base with which it was looked at merged",
    ),
] as const;
