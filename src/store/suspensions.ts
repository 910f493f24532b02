/** Accounts that ran into a usage limit, one file each, for all relays of the repository: each journals what it learns. */
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
  /** The issue whose relay ran into it, and when. */
  by: z.string(),
  atMs: z.int().nonnegative(),
});
export type KnownSuspension = z.infer<typeof suspensionSchema>;

/** Tells the other relays; a later one of the same account takes the place of an earlier. */
export function tellSuspension(folder: string, suspension: KnownSuspension): void {
  mkdirSync(folder, { recursive: true });
  writeAtomically(join(folder, `${encodeURIComponent(suspension.account)}.json`), JSON.stringify(suspension));
}

/** All that are known. A file that cannot be read is ignored: at worst one more session runs into the limit. */
export function knownSuspensions(folder: string): KnownSuspension[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => readOne(join(folder, name)) ?? []);
}

function readOne(path: string): KnownSuspension | undefined {
  return attempt(() => suspensionSchema.safeParse(JSON.parse(readFileSync(path, "utf8"))).data, undefined);
}
