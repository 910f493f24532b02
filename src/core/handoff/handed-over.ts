/** The record of a person's own session that handed over, kept until a relay takes it up. */
import { z } from "zod";
import { commit, count, sha256 } from "../journal/events/fields.ts";

export const handedOverSchema = z.object({
  v: z.literal(1),
  /** The id of this handover, by which it is taken up only once, even after a crash. */
  id: z.string(),
  issue: z.string(),
  branch: z.string(),
  worktree: z.string(),
  head: commit,
  wip: commit.optional(),
  leftOut: z.array(z.string()),
  /** The text of RALPH.md. */
  text: z.string(),
  sha256,
  lint: z.array(z.string()),
  atMs: count,
  /** The remote from which the work was pulled; there is no worktree then. */
  remote: z.string().optional(),
});

export type HandedOver = z.infer<typeof handedOverSchema>;
