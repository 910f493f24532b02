/** Events of questions and answers, and of messages that people send unasked. */
import { z } from "zod";
import { by, commit, count, ordinal, sha256, via, viaSchema } from "./fields.ts";

export const peopleSchemas = [
  z
    .object({ type: z.literal("question.asked"), session: ordinal, text: z.string() })
    .describe("a session asks what a person has to decide"),
  z
    .object({
      type: z.literal("question.answered"),
      /** The session that asked. */
      session: ordinal,
      by,
      text: z.string(),
      via,
      /** The running session that got the message at once. */
      told: ordinal.optional(),
    })
    .describe("the answer, and the running session that was told at once"),
  z
    .object({ type: z.literal("note.said"), by, text: z.string(), via, told: ordinal.optional() })
    .describe("what a person said unasked"),
  z
    .object({ type: z.literal("letter.refused"), letter: z.string(), via: viaSchema, why: z.string() })
    .describe("a message that came through the remote was not taken, and why"),
  z
    .object({
      type: z.literal("person.handed_over"),
      /** The branch of the person's checkout. */
      branch: z.string(),
      head: commit,
      /** The number of commits that the base does not have. */
      commits: count,
      /** The commit that saves uncommitted work, if there was any. */
      wip: commit.optional(),
      /** Files that were left out because they are not work, with the reason. */
      leftOut: z.array(z.string()).optional(),
      /** The person's RALPH.md. */
      text: z.string(),
      sha256,
      lint: z.array(z.string()),
      /** The time of the handover. */
      handedOverAtMs: count,
      /** The remote from which the work was pulled: another clone handed over. */
      remote: z.string().optional(),
    })
    .describe(
      "a person's own session handed over: its branch, commits and uncommitted work, which session 1 begins with, and its RALPH.md, the handoff of session 0; or another clone did, by a push that was pulled here",
    ),
] as const;
