/** What running a check, or a command of a Reviewer's, came to. */
import { z } from "zod";

export const checkResultSchema = z.object({
  command: z.string(),
  /** null when the check was killed (time-out) or could not be started. */
  exitCode: z.number().int().nullable(),
  timedOut: z.boolean(),
  durationMs: z.number(),
  /** The kept output, relative to the relay's folder. */
  log: z.string(),
  /** Of a failed one: what it failed of, without what differs from one run to the next. */
  signature: z.string().optional(),
});
export type CheckResult = z.infer<typeof checkResultSchema>;
