/** The lease of a relay on a remote: who works on it, and when another machine may take it over. */
import { z } from "zod";
import { attempt } from "../error/attempt.ts";
import { leaseMinutesMax } from "../limits.ts";
import { plainLine } from "../text/sanitize.ts";

/** Words of whoever took the lease: they are shown to people. */
const words = z
  .string()
  .max(200)
  .transform((text) => plainLine(text, 80));

const leaseSchema = z.object({
  v: z.literal(1),
  issue: z.string().max(100),
  /** A place where only one runner at a time can work on the relay: a clone, or what `MONOCO_SLOT` names. */
  slot: z.string().max(200),
  who: words,
  host: words,
  /** Counts the holders of this relay, one after the other. */
  attempt: z.number().int().positive(),
  minutes: z.number().positive().max(leaseMinutesMax),
  /** The end of the lease by its holder's own clock, which may be wrong. */
  untilMs: z.number(),
});
export type Lease = z.infer<typeof leaseSchema>;

/** What is known of a relay on a remote besides its journal; `letters` is the number of those that nobody has read yet. */
export type There = { remote: string; lease: Lease | undefined; letters: number };

/** Undefined for a text that is no lease: whoever may push could have written it. */
export function parseLease(text: string): Lease | undefined {
  const parsed = leaseSchema.safeParse(attempt(() => JSON.parse(text) as unknown, undefined));
  return parsed.success ? parsed.data : undefined;
}

/** A lease renews at a third of its length, and its holder stops at 60 %: what is left is for a machine that answers slowly. */
export function marksOf(minutes: number): { renewMs: number; stopMs: number } {
  return { renewMs: (minutes * 60_000) / 3, stopMs: minutes * 60_000 * 0.6 };
}

/** How often a holder looks for letters, and whether its lease is due, ms; for a short lease it looks more often. */
export function lookMsOf(minutes: number): number {
  return Math.min(30_000, marksOf(minutes).stopMs / 6);
}

/** How far two machines' clocks may be apart, each a day off the other way: a lease that ended longer ago is over by anybody's clock. */
const clocksApartMs = 3 * 24 * 60 * 60_000;

/** How long the lease still keeps others out, in ms; 0 if it is over. `seenMs`: for how long this machine has seen that very lease. */
export function leftOf(
  lease: Lease,
  { slot, seenMs, nowMs }: { slot: string; seenMs: number; nowMs: number },
): number {
  if (lease.slot === slot || nowMs > lease.untilMs + clocksApartMs) return 0;
  return Math.max(0, lease.minutes * 60_000 - seenMs);
}
