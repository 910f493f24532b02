/** The shape of a place where a submission asks less of the code than the base did. */
import { z } from "zod";
import type { WeakeningKind } from "./kinds.ts";

/** As journals hold it: those of older versions name kinds that monoco no longer looks for. */
export const weakeningSchema = z.object({
  file: z.string(),
  /** In the file as it is now; of what was removed, as it was. */
  line: z.number().int().positive().optional(),
  kind: z.string(),
  text: z.string(),
});
export type WeakeningRead = z.infer<typeof weakeningSchema>;
export type Weakening = WeakeningRead & { kind: WeakeningKind };
