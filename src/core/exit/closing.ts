/** The answer to the closing question: monoco asks the agent once more whether the work is done. */
import { z } from "zod";
import { objectsIn, strictJsonSchema } from "../text/json-answer.ts";
import { isNothing } from "./field-values.ts";

const shortText = z.string().trim().max(2_000);

export const closingSchema = z.object({
  done: z.boolean().describe("every criterion is met, and nothing is left to do"),
  remaining: z.array(shortText).max(20).describe("what is left to do, one entry each; empty for nothing"),
  question: shortText
    .describe("what a person has to decide before anybody can go on; empty for nothing")
    .optional(),
  blockedBy: shortText.describe("what blocks the work; empty if nothing does").optional(),
});
export type Closing = z.infer<typeof closingSchema>;

/** The schema for agents that enforce one. */
export function closingJsonSchema(): unknown {
  return strictJsonSchema(closingSchema.required());
}

/** The answer is short and at the end; no more than this is searched. */
const closingCharsMax = 20_000;

/** The last answer in a text: the whole text, a code block, or a single line. */
export function closingIn(answer: string): Closing | undefined {
  const answers = objectsIn(answer, closingCharsMax).map((value) => answerSchema.safeParse(value));
  const last = answers.find(({ success }) => success)?.data;
  return last && tidied(last);
}

/** Agents write null for "nothing". */
const optional = shortText.nullish().transform((text) => text ?? "");
const answerSchema = closingSchema.extend({ question: optional, blockedBy: optional });

/** The answer without words that mean "nothing". */
function tidied({ done, remaining, question, blockedBy }: z.infer<typeof answerSchema>): Closing {
  return {
    done,
    remaining: remaining.filter((entry) => !isNothing(entry)),
    ...(isNothing(question) ? {} : { question }),
    ...(isNothing(blockedBy) ? {} : { blockedBy }),
  };
}

/** Whether the answer says done, and nothing in it contradicts that. */
export function closesDone({ done, remaining, blockedBy }: Closing): boolean {
  return done && remaining.length === 0 && blockedBy === undefined;
}
