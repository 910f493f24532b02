/** Fields common to events of several subjects. */
import { z } from "zod";
import { presetReasonSchema } from "../../reason/reason-schema.ts";
import { presetNames } from "../../settings/presets.ts";

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const commit = z.string().regex(/^[0-9a-f]{40,64}$/);
export const count = z.number().int().nonnegative();
export const ordinal = z.number().int().positive();
export const by = z.enum(["executor", "reviewer", "person", "monoco"]);
/** Who sent a person's message from elsewhere, and how. It is a claim: whoever may push to the remote can have written a ref. */
export const viaSchema = z.object({
  who: z.string().min(1).max(200),
  by: z.enum(["ref", "github", "gitlab"]),
});
export type Via = z.infer<typeof viaSchema>;
export const via = viaSchema.optional();
/** The mechanism that contains a process tree. */
export const containmentSchema = z.enum(["bubblewrap", "pid-namespace", "process-group"]);
/** Present if the message named no readable time: `resetsAtMs` is then `limits.usageLimitMinutes` later. */
export const resetGuessed = z.literal(true).optional();
/** The place of each setting that is not a default, by key: `monoco.yaml:12`, `--set`, `MONOCO_…`. */
export const origins = z.record(z.string(), z.string());
/** The choice of `preset: auto`, and its reason. */
export const preset = z.object({ name: z.enum(presetNames), reason: presetReasonSchema });
