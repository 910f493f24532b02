/** The schema of monoco's inspection of a diff; separate from its sentences, which do not load zod. */
import { z } from "zod";
import { protectedKinds } from "./protected-kinds.ts";
import { weakeningSchema } from "../weakening/schema.ts";

const count = z.number().int().nonnegative();

const protectedPathSchema = z.object({
  path: z.string(),
  kind: z.enum(protectedKinds),
  /** The pattern of the settings that covers the path, or the command that runs it. */
  by: z.string().optional(),
  /** The contract allows the change (`allows`). */
  allowed: z.literal(true).optional(),
});
export type ProtectedPath = z.infer<typeof protectedPathSchema>;

/** The fields of `submission.inspected`. */
export const inspectionFields = {
  protected: z.array(protectedPathSchema),
  weakened: z.array(weakeningSchema),
  /** The numbers of places beyond those listed. */
  more: z.object({ protected: count, weakened: count }).optional(),
} as const;
const inspectionSchema = z.object(inspectionFields);
export type Inspection = z.infer<typeof inspectionSchema>;
