/** What the journal holds of an approved submission on its way to the base, or left on its branch. */
import { z } from "zod";
import { mergeStrategies } from "../../settings/finish-schema.ts";
import { baseMetSchema } from "../../reason/start-schema.ts";
import { commit, ordinal } from "./fields.ts";

export const mergeSchemas = [
  z
    .object({
      type: z.literal("merge.questioned"),
      submission: ordinal,
      baseCommit: commit,
      /** The commit of the base up to which the approval holds. */
      since: commit,
      /** The merge, as its Reviewer sees it. */
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
      /** How the commits were made. */
      strategy: z.enum(mergeStrategies),
    })
    .describe("the commit is made; the base has not moved yet. `strategy` says how"),
  z
    .object({
      type: z.literal("merge.done"),
      submission: ordinal,
      commit,
      /** The address of the pull request that it was merged by: `commit` is what it is there. */
      pullRequest: z.string().optional(),
      /** Clones and branches that hold what is not merged, and why, in words. */
      kept: z.array(z.string()).optional(),
    })
    .describe(
      "the base has moved to it, here or, by `pullRequest`, on GitHub. `kept`: clones and branches that hold what is not merged",
    ),
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
      /** Its address. */
      pullRequest: z.string().optional(),
      /** What is left for a person to do, and the command for it. */
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
      /** What its branch holds there. */
      head: commit,
      /** Checks there by name: those that run, have failed, or wait for somebody. */
      pending: z.array(z.string()),
      red: z.array(z.string()),
      stopped: z.array(z.string()),
      decision: z.enum(["approved", "changes_requested", "review_required"]).optional(),
      /** It does not merge there as it is. */
      conflicts: z.literal(true).optional(),
      /** Remarks of people without write access: told to the person, and to no agent. */
      others: z.array(z.object({ author: z.string(), url: z.string().optional() })),
    })
    .describe("what the open pull request waits for, where that has changed since the last look at it"),
] as const;
