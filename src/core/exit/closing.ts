/** The closing question's answer: what an agent says when it is asked once more whether the work is done. */
import { isNone } from "./status-block.ts";
import { z } from "zod";
import { objectsIn, strictJsonSchema } from "./answer.ts";
import { isRecord } from "../text/record.ts";

const textMax = 2_000;
const remainingMax = 20;
const words = z.string().trim().max(textMax);

export const closingSchema = z.object({
  done: z.boolean().describe("every criterion is met, and nothing is left to do"),
  remaining: z
    .array(words)
    .max(remainingMax)
    .describe("what is left to do, one entry each; empty for nothing"),
  question: words
    .describe("what a person has to decide before anybody can go on; empty for nothing")
    .optional(),
  blockedBy: words.describe("what blocks the work; empty if nothing does").optional(),
});
export type Closing = z.infer<typeof closingSchema>;

/** As agents that enforce a schema are given it. */
export function closingJsonSchema(): unknown {
  return strictJsonSchema(closingSchema.required());
}

/** An answer is short, and at the end. */
const closingCharsMax = 20_000;

/** The last answer to the question in a text: the whole text, a code block, or a line of its own. */
export function closingIn(answer: string): Closing | undefined {
  for (const value of objectsIn(answer, closingCharsMax)) {
    const parsed = closingSchema.safeParse(withoutNulls(value));
    if (parsed.success) return tidied(parsed.data);
  }
  return undefined;
}

function withoutNulls(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null));
}

/** `(none)`, `not blocked`, and what a block's list has for nothing. */
function isNothing(words: string): boolean {
  const plain = words.trim().replace(/^[(（](.*)[)）]$/, "$1");
  return isNone(plain) || /^not blocked\.?$/i.test(plain);
}

/** Words for nothing are left out. */
function tidied({ done, remaining, question = "", blockedBy = "" }: Closing): Closing {
  return {
    done,
    remaining: remaining.filter((entry) => !isNothing(entry)),
    ...(isNothing(question) ? {} : { question }),
    ...(isNothing(blockedBy) ? {} : { blockedBy }),
  };
}

/** Done, with nothing that speaks against it in the same answer. */
export function closesDone({ done, remaining, blockedBy }: Closing): boolean {
  return done && remaining.length === 0 && blockedBy === undefined;
}
