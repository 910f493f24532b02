/** The shape of what monoco finds in a submission's diff: apart from its words, which are told without zod. */
import { z } from "zod";
import { protectedKinds } from "./protected-kinds.ts";
import { weakeningSchema } from "../weakening/schema.ts";

const count = z.number().int().nonnegative();

const protectedPathSchema = z.object({
  path: z.string(),
  kind: z.enum(protectedKinds),
  /** The pattern of the settings that covers it, or the command that runs it. */
  by: z.string().optional(),
  /** The contract says that the work may change it (`allows`). */
  allowed: z.literal(true).optional(),
});
export type ProtectedPath = z.infer<typeof protectedPathSchema>;

/** The fields of `submission.inspected`. */
export const inspectionFields = {
  protected: z.array(protectedPathSchema),
  weakened: z.array(weakeningSchema),
  /** How many more there are than are listed. */
  more: z.object({ protected: count, weakened: count }).optional(),
} as const;
const inspectionSchema = z.object(inspectionFields);
export type Inspection = z.infer<typeof inspectionSchema>;
