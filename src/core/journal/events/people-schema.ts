/** What the journal holds of questions and answers, and of what people say unasked. */
import { z } from "zod";
import { by, ordinal } from "./fields.ts";

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
] as const;
