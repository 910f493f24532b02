/** The shape of a place where a submission asks less of the code than the base did. */
import { z } from "zod";
import { weakeningKinds } from "./kinds.ts";

export const weakeningSchema = z.object({
  file: z.string(),
  /** In the file as it is now; of what was removed, as it was. */
  line: z.number().int().positive().optional(),
  kind: z.enum(weakeningKinds),
  text: z.string(),
});
export type Weakening = z.infer<typeof weakeningSchema>;
