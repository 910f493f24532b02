/** Events of verdicts: given, refused for lack of evidence, decided. */
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
import { by, commit, ordinal, via } from "./fields.ts";

/** The fields of a verdict, with monoco's own measurements. */
const judged = {
  criteria: z.array(judgedCriterionSchema).optional(),
  probes: z.array(judgedProbeSchema).optional(),
  findings: z.array(judgedFindingSchema),
  /** Earlier findings that count as resolved only because of new files that nothing refers to. */
  unresolved: z.array(z.string()).optional(),
  /** The reasons why each listed place may stay. */
  answers: z.array(answerSchema).optional(),
  trend: z.enum(trends).optional(),
  summary: z.string().optional(),
  /** The evidence on changes that were taken back and that no check guards. */
  takenBack: z.array(takenBackSchema).optional(),
};

/** The base commit with which the submission was merged for the review, if the base had moved. */
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
      /** The reasons: missing or unreproducible evidence, a failed check, a contradiction. */
      why: z.array(z.string()).min(1),
      ...judged,
    })
    .describe("it does not count, and why: [review.md](review.md)"),
  z
    .object({
      type: z.literal("review.decided"),
      submission: ordinal,
      by: z.enum([...by.options, "pull_request"]),
      via,
      session: ordinal.optional(),
      onto: onto.optional(),
      verdict: z.enum(["approve", "request_changes"]),
      ...judged,
      /** For a verdict by a person: the Reviewer's verdict that it overrules. */
      overrides: z.enum(["approve", "request_changes"]).optional(),
    })
    .describe(
      "a verdict that counts: by whom (`pull_request`: by the checks and the people there), evidence, findings; `overrides` the Reviewer's where a person's stands against it, `onto` the commit of the base with which it was looked at merged",
    ),
] as const;
