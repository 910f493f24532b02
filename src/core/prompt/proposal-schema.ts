/** The schema of an issue that an agent proposes. */
import { z } from "zod";
import { strictJsonSchema } from "../text/json-answer.ts";
import { criterionKinds } from "../issue/criterion-kind.ts";

const text = z.string().trim().min(1);

/** The types that can be proposed; an epic has no work of its own. */
const types = ["feature", "fix", "chore"] as const;

export const proposalSchema = z.object({
  title: text.max(200).describe("what is to be true afterwards, in one line"),
  type: z.enum(types).describe("fix: something is wrong today; chore: nobody who uses it sees a difference"),
  objective: text.max(4_000).describe("what is to be possible, for whom and why, as Markdown"),
  criteria: z
    .array(
      z.object({
        kind: z.enum(criterionKinds).describe("what kind of evidence shows it"),
        text: text.max(500).describe("one thing that somebody can check"),
      }),
    )
    .min(1)
    .max(20),
  checks: z
    .array(text.max(500))
    .max(10)
    .describe("shell commands of this project whose exit status shows that the work holds; empty for none"),
});
export type Proposal = z.infer<typeof proposalSchema>;

/** The schema for agents that enforce one. */
export function proposalJsonSchema(): unknown {
  return strictJsonSchema(proposalSchema);
}
