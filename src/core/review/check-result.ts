/** The result of a check, or of a Reviewer's command. */
import { z } from "zod";

export const checkResultSchema = z.object({
  command: z.string(),
  /** null if the check was killed (time-out) or could not start. */
  exitCode: z.number().int().nullable(),
  timedOut: z.boolean(),
  durationMs: z.number(),
  /** The file of the kept output, relative to the relay's folder. */
  log: z.string(),
  /** For a failed check: its failure without the parts that vary between runs. */
  signature: z.string().optional(),
});
export type CheckResult = z.infer<typeof checkResultSchema>;
