/** The schema of a weakening: a place where a submission demands less of the code than the base. */
import { z } from "zod";
import type { WeakeningKind } from "./kinds.ts";

/** The form in journals: older ones have kinds that monoco no longer looks for. */
export const weakeningSchema = z.object({
  file: z.string(),
  /** The line in the new file; for removed lines, in the old one. */
  line: z.number().int().positive().optional(),
  kind: z.string(),
  text: z.string(),
});
export type WeakeningRead = z.infer<typeof weakeningSchema>;
export type Weakening = WeakeningRead & { kind: WeakeningKind };
