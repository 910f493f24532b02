/** A Reviewer's verdict from Codex: the schema in the strict form that its API takes, and the answer read back. */
import { z } from "zod";
import { wordsOf } from "../../core/error/error.ts";
import { verdictJsonSchema, verdictSchema } from "../../core/review/verdict-schema.ts";
import type { AgentUpdate } from "../../core/session/update.ts";

const schemaSchema = z.object({
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), schemaSchema).optional();
  },
  required: z.array(z.string()).optional(),
  get items() {
    return schemaSchema.optional();
  },
});
type Schema = z.infer<typeof schemaSchema>;

/** The `outputSchema`, strict: only the keywords of `schemaSchema`, every property required, no other properties. */
export const verdictFormat = (): unknown => strict(schemaSchema.parse(verdictJsonSchema()));

function strict({ type, enum: among, properties, required, items }: Schema, optional = false): unknown {
  const own = {
    type: optional ? [type, "null"] : type,
    ...(among ? { enum: optional ? [...among, null] : among } : {}),
  };
  if (items) return { ...own, items: strict(items) };
  if (!properties) return own;
  const names = Object.keys(properties);
  const each = names.map((name) => [name, strict(properties[name]!, !required?.includes(name))]);
  return { ...own, properties: Object.fromEntries(each), required: names, additionalProperties: false };
}

/** Reads the last answer of a Reviewer's turn; null stands for a property that was left out. */
export function readVerdict(answer: string): AgentUpdate {
  try {
    const value: unknown = JSON.parse(answer, (_, part: unknown) => part ?? undefined);
    const verdict = verdictSchema.safeParse(value);
    if (verdict.success) return { type: "verdict", verdict: verdict.data };
    return { type: "verdict_malformed", text: z.prettifyError(verdict.error) };
  } catch (error) {
    return { type: "verdict_malformed", text: `invalid JSON: ${wordsOf(error)}` };
  }
}
