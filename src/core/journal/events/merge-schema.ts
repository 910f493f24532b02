/** Events of an approved submission on its way to the base, or left on its branch. */
import { z } from "zod";
import { mergeStrategies } from "../../settings/finish-schema.ts";
import { baseMetSchema } from "../../reason/start-schema.ts";
import { by, commit, ordinal } from "./fields.ts";

export const mergeSchemas = [
  z
    .object({
      type: z.literal("merge.questioned"),
      submission: ordinal,
      baseCommit: commit,
      /** The base commit up to which the approval holds. */
      since: commit,
      /** The merge commit that the Reviewer sees. */
      commit,
      tree: commit,
      reason: baseMetSchema,
    })
    .describe(
      "the base has brought what meets the submission: a Reviewer confirms the approval on the merged tree, whose checks are green",
    ),
  z
    .object({
      type: z.literal("merge.prepared"),
      submission: ordinal,
      commit,
      tree: commit,
      expectedBase: commit,
      strategy: z.enum(mergeStrategies),
    })
    .describe("the commit is made; the base has not moved yet. `strategy` says how"),
  z
    .object({
      type: z.literal("merge.done"),
      submission: ordinal,
      commit,
      /** The address of the pull request that merged it; `commit` is then the commit there. */
      pullRequest: z.string().optional(),
      /** Clones and branches that hold unmerged work, each with the reason. */
      kept: z.array(z.string()).optional(),
    })
    .describe(
      "the base has moved to it, here or, by `pullRequest`, on GitHub. `kept`: clones and branches that hold what is not merged",
    ),
  z
    .object({ type: z.literal("merge.escaped"), by, text: z.string() })
    .describe("a person says what was wrong with the last merge: `monoco report --escapes` counts it"),
  z
    .object({
      type: z.literal("merge.conflicted"),
      submission: ordinal,
      baseCommit: commit,
      paths: z.array(z.string()),
    })
    .describe("the submission does not merge, and in which files"),
  z
    .object({
      type: z.literal("merge.rejected"),
      submission: ordinal,
      baseCommit: commit,
      why: z.string(),
    })
    .describe("the checks fail on the merged tree"),
  z
    .object({
      type: z.literal("relay.finished"),
      submission: ordinal,
      commit,
      /** The address of the pull request. */
      pullRequest: z.string().optional(),
      /** What a person still has to do, and the command for it. */
      todo: z.string().optional(),
      kept: z.array(z.string()).optional(),
    })
    .describe(
      "it is over, its work left on its branch: a loop's without a review, or by `finish: branch` and `finish: pr`. `pullRequest` is its address, `todo` what is left for a person",
    ),
  z
    .object({
      type: z.literal("pull_request.seen"),
      submission: ordinal,
      url: z.string(),
      /** The commit of the branch there. */
      head: commit,
      /** The names of checks there that run, have failed, or wait for somebody. */
      pending: z.array(z.string()),
      red: z.array(z.string()),
      stopped: z.array(z.string()),
      decision: z.enum(["approved", "changes_requested", "review_required"]).optional(),
      /** The branch conflicts with its base there. */
      conflicts: z.literal(true).optional(),
      /** Remarks of people without write access: shown to the person, and to no agent. */
      others: z.array(z.object({ author: z.string(), url: z.string().optional() })),
    })
    .describe("what the open pull request waits for, where that has changed since the last look at it"),
] as const;
