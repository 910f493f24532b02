/** What the journal holds of questions and answers, and of what people say unasked. */
import { z } from "zod";
import { by, commit, count, ordinal, sha256 } from "./fields.ts";

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
      /** The running session that was told at once. */
      told: ordinal.optional(),
    })
    .describe("the answer, and the running session that was told at once"),
  z
    .object({ type: z.literal("note.said"), by, text: z.string(), told: ordinal.optional() })
    .describe("what a person said unasked"),
  z
    .object({
      type: z.literal("person.handed_over"),
      /** The branch of their checkout. */
      branch: z.string(),
      head: commit,
      /** Commits of the branch that the base does not have. */
      commits: count,
      /** The commit that keeps uncommitted work, if there was any. */
      wip: commit.optional(),
      /** What was left out because it is not work, in words. */
      leftOut: z.array(z.string()).optional(),
      /** Their RALPH.md. */
      text: z.string(),
      sha256,
      lint: z.array(z.string()),
      /** When they handed over. */
      handedOverAtMs: count,
    })
    .describe(
      "a person's own session handed over: its branch, commits and uncommitted work, which session 1 begins with, and its RALPH.md, the handoff of session 0",
    ),
] as const;
