/** The terms of a loop, as its journal pins them. */
import { z } from "zod";
import { loopPromptCharsMax } from "../limits.ts";
import { t } from "../language/translate.ts";
import { command } from "../settings/agent-schema.ts";

export const promiseSchema = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} _-]{0,60}$/u, { error: () => t`letters, digits, spaces, - and _` });

export const loopSchema = z.strictObject({
  prompt: z
    .string()
    .min(1)
    .max(loopPromptCharsMax, {
      error: () => t`longer than ${loopPromptCharsMax} characters: put what is long into files`,
    }),
  /** The text inside `<promise>…</promise>`. */
  promise: promiseSchema,
  /** Commands that must pass. */
  verify: z.array(command),
  /** Whether the work is reviewed and merged into the base; otherwise it is left on its branch. */
  review: z.boolean(),
  /** The largest number of sessions. */
  max: z.number().int().positive(),
});
export type Loop = z.infer<typeof loopSchema>;
