/** Events of a submission before its review, and of the checks. */
import { z } from "zod";
import { checkResultSchema } from "../../review/check-result.ts";
import { inspectionFields } from "../../review/inspection-schema.ts";
import { trialSchema } from "../../trial/trial-schema.ts";
import { by, commit, containmentSchema, ordinal, via } from "./fields.ts";

/** The kinds of faults for which a submit is refused. */
const refusalKinds = [
  "message_gone",
  "no_such_commit",
  "unfinished",
  "uncommitted",
  "other_branch",
  "no_common_history",
  "runtime_file",
  "issue_moved",
  "empty",
  "conflict_markers",
  "submodules",
  "lfs",
  "filter",
  "forged",
  "same_commit",
] as const;

export const submissionSchemas = [
  z
    .object({
      type: z.literal("submission.requested"),
      submission: ordinal,
      head: commit,
      tree: commit,
      /** The last base commit below the submission. */
      base: commit.optional(),
      by,
      via,
      session: ordinal.optional(),
    })
    .describe("a commit is up for review, with the commit of the base that it rests on"),
  z
    .object({
      type: z.literal("submission.refused"),
      head: commit.optional(),
      by,
      via,
      session: ordinal.optional(),
      kind: z.enum(refusalKinds),
      /** The files that the refusal is about, at most a hundred. */
      paths: z.array(z.string()).optional(),
      why: z.string(),
    })
    .describe(
      "a submit was refused, by its command in the session or by monoco after it, and why; once for each session",
    ),
  z
    .object({
      type: z.literal("contract.tampered"),
      submission: ordinal,
      /** The parts that differ from the contract: objective, criteria, checks. */
      fields: z.array(z.string()),
    })
    .describe("a submission changes the contract or the settings, and which parts"),
  z
    .object({ type: z.literal("submission.inspected"), submission: ordinal, ...inspectionFields })
    .describe(
      "what of its diff a Reviewer is shown first: protected paths that it changes, places that weaken tests or checks ([protected.md](protected.md)); not recorded where nothing was found",
    ),
  z
    .object({ type: z.literal("submission.tried"), submission: ordinal, trial: trialSchema })
    .describe(
      "what came of putting its tests to the test: over the base, crossed with the base's, and with changes taken back ([review.md](review.md))",
    ),
  z
    .object({
      type: z.literal("baseline.ran"),
      /** The commit of the base, and its tree. */
      commit,
      tree: commit,
      /** Of the set-up only a command that failed. */
      results: z.array(checkResultSchema),
      containment: containmentSchema.optional(),
    })
    .describe(
      "the set-up and the checks ran on the base before the first session, or have run there before: what fails there counts against nobody",
    ),
  z
    .object({
      type: z.literal("checks.ran"),
      /** The tree that they ran on: a session's workspace, a submission's clone, or a merge. */
      target: z.enum(["session", "submission", "merge"]),
      /** The number of the session or submission. */
      n: ordinal,
      tree: commit,
      ok: z.boolean(),
      results: z.array(checkResultSchema),
      /** The mechanism that contained them. */
      containment: containmentSchema.optional(),
      /** Present only in older journals. */
      trial: trialSchema.optional(),
    })
    .describe(
      "the checks ran on a session's workspace, a submission or a merged tree, and what held them (`containment`)",
    ),
] as const;
