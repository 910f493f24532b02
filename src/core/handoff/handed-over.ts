/** What a person's own session handed over, as it is kept until a relay takes it up. */
import { z } from "zod";
import { commit, count, sha256 } from "../journal/events/fields.ts";

export const handedOverSchema = z.object({
  v: z.literal(1),
  /** Of this handing over: taken up once, whatever is killed in between. */
  id: z.string(),
  issue: z.string(),
  branch: z.string(),
  worktree: z.string(),
  head: commit,
  wip: commit.optional(),
  leftOut: z.array(z.string()),
  /** RALPH.md. */
  text: z.string(),
  sha256,
  lint: z.array(z.string()),
  atMs: count,
});

export type HandedOver = z.infer<typeof handedOverSchema>;
