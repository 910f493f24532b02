/** Keeps accounts that reached a usage limit, one file each, for all relays of the repository; each relay journals what it learns. */
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";
import { join } from "node:path";
import { z } from "zod";
import { accountReasonSchema } from "../core/reason/account-schema.ts";
import { writeAtomically } from "./durable.ts";

const suspensionSchema = z.object({
  account: z.string(),
  untilMs: z.int().nonnegative(),
  reason: accountReasonSchema,
  /** The issue whose relay met the limit, and when. */
  by: z.string(),
  atMs: z.int().nonnegative(),
});
export type KnownSuspension = z.infer<typeof suspensionSchema>;

/** Writes a suspension for the other relays; it replaces an earlier one of the same account. */
export function tellSuspension(folder: string, suspension: KnownSuspension): void {
  mkdirSync(folder, { recursive: true });
  writeAtomically(join(folder, `${encodeURIComponent(suspension.account)}.json`), JSON.stringify(suspension));
}

/** All suspensions. An unreadable file is ignored: at worst one more session meets the limit. */
export function knownSuspensions(folder: string): KnownSuspension[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => readOne(join(folder, name)) ?? []);
}

function readOne(path: string): KnownSuspension | undefined {
  return attempt(() => suspensionSchema.safeParse(JSON.parse(readFileSync(path, "utf8"))).data, undefined);
}
