/** What a loop is, as its journal pins it. */
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
  /** The word in `<promise>…</promise>`. */
  promise: promiseSchema,
  /** Commands that have to pass. */
  verify: z.array(command),
  /** Reviewed and merged into the base; else the work is left on its branch. */
  review: z.boolean(),
  /** Sessions at most. */
  max: z.number().int().positive(),
});
export type Loop = z.infer<typeof loopSchema>;
