/** Rate limits: what all relays may start and use within an hour; where that is reached, when there is room again. */
import type { Limits } from "../settings/limits-schema.ts";
import type { RateReason } from "../reason/reason-schema.ts";
import type { Spending } from "./spending.ts";

/** A limit that is reached, and the time from which it is not. */
export type FullHour = {
  reason: RateReason;
  untilMs: number;
};

const hourMs = 60 * 60_000;

/** The limit that keeps the next session waiting longest; undefined where there is room now. */
export function fullHour(
  spent: readonly Spending[],
  limits: Pick<Limits, "sessionsPerHour" | "tokensPerHour">,
  nowMs: number,
): FullHour | undefined {
  const full = [
    reached(startsOf(spent, nowMs), "sessions_per_hour", limits.sessionsPerHour),
    reached(tokensOf(spent, nowMs), "tokens_per_hour", limits.tokensPerHour),
  ].filter((one) => one !== undefined);
  return full.toSorted((one, other) => other.untilMs - one.untilMs)[0];
}

/** Something that counts from `atMs` on, for an hour. */
type Use = { atMs: number; amount: number };

function startsOf(spent: readonly Spending[], nowMs: number): Use[] {
  return withinTheHour(
    spent.map(({ startedAtMs }) => ({ atMs: startedAtMs, amount: 1 })),
    nowMs,
  );
}

/** What a session used counts from its end on: until then it is still growing. */
function tokensOf(spent: readonly Spending[], nowMs: number): Use[] {
  return withinTheHour(
    spent.map(({ endedAtMs, startedAtMs, tokens }) => ({ atMs: endedAtMs ?? startedAtMs, amount: tokens })),
    nowMs,
  );
}

function withinTheHour(uses: readonly Use[], nowMs: number): Use[] {
  return uses.filter(({ atMs }) => atMs > nowMs - hourMs).toSorted((one, other) => one.atMs - other.atMs);
}

/** There is room when so many of the oldest have left the hour that the rest is below the limit. */
function reached(
  uses: readonly Use[],
  rule: RateReason["rule"],
  max: number | undefined,
): FullHour | undefined {
  const used = uses.reduce((sum, { amount }) => sum + amount, 0);
  if (max === undefined || used < max) return undefined;
  let left = used;
  for (const { atMs, amount } of uses) {
    left -= amount;
    if (left < max) return { reason: { rule, used, max }, untilMs: atMs + hourMs };
  }
  return undefined;
}
