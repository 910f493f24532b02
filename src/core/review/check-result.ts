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
  /** For a failed check: the names of its failing tests, where they can be read. */
  failing: z.array(z.string()).optional(),
  /** For a failed check: the last line of its output. */
  last: z.string().optional(),
  /** For a failed check: paths of the home (`~/…`) that its output names and the sandbox hides. */
  hidden: z.array(z.string()).optional(),
  /** Green, but red the time before: it depends on more than the files. */
  flaky: z.literal(true).optional(),
  /**
   * The check failed on the base, too: with the same failures, or in a way that cannot be compared (`unread`). Such a failure
   * counts against nobody.
   */
  asBefore: z.enum(["same", "unread"]).optional(),
});
export type CheckResult = z.infer<typeof checkResultSchema>;
