/** Fields that events of several subjects have in common. */
import { z } from "zod";
import { presetReasonSchema } from "../../reason/reason-schema.ts";
import { presetNames } from "../../settings/presets.ts";

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const commit = z.string().regex(/^[0-9a-f]{40,64}$/);
export const count = z.number().int().nonnegative();
export const ordinal = z.number().int().positive();
export const by = z.enum(["executor", "reviewer", "person", "monoco"]);
/** What holds a process tree. */
export const containmentSchema = z.enum(["bubblewrap", "pid-namespace", "process-group"]);
/** The message named no time that could be read: `resetsAtMs` is `limits.usageLimitMinutes` from then. */
export const resetGuessed = z.literal(true).optional();
/** Where each setting that is not a default was written, by its key: `monoco.yaml:12`, `--set`, `MONOCO_…`. */
export const origins = z.record(z.string(), z.string());
/** What `preset: auto` chose, and why. */
export const preset = z.object({ name: z.enum(presetNames), reason: presetReasonSchema });
