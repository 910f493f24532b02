/** The shape of what monoco finds in a submission's diff: apart from its words, which are told without zod. */
import { z } from "zod";
import { protectedKinds } from "./protected-kinds.ts";
import { weakeningKinds } from "./weakening-kinds.ts";

const count = z.number().int().nonnegative();

const protectedPathSchema = z.object({
  path: z.string(),
  kind: z.enum(protectedKinds),
  /** The pattern of the settings that covers it, or the command that runs it. */
  by: z.string().optional(),
});
export type ProtectedPath = z.infer<typeof protectedPathSchema>;

const weakeningSchema = z.object({
  file: z.string(),
  /** In the file as it is now; of what was removed, as it was. */
  line: z.number().int().positive().optional(),
  kind: z.enum(weakeningKinds),
  text: z.string(),
});
export type Weakening = z.infer<typeof weakeningSchema>;

/** The fields of `submission.inspected`. */
export const inspectionFields = {
  protected: z.array(protectedPathSchema),
  weakened: z.array(weakeningSchema),
  /** How many more there are than are listed. */
  more: z.object({ protected: count, weakened: count }).optional(),
} as const;
const inspectionSchema = z.object(inspectionFields);
export type Inspection = z.infer<typeof inspectionSchema>;
