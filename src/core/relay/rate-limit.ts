/** Rate limits: the sessions and tokens of all relays within an hour, and the time at which there is room again. */
import type { Limits } from "../settings/limits-schema.ts";
import type { RateReason } from "../reason/reason-schema.ts";
import type { Spending } from "./spending.ts";

/** A limit that is reached, and the time at which it has room again. */
export type FullHour = {
  reason: RateReason;
  untilMs: number;
};

const hourMs = 60 * 60_000;

/** The reached limit with the longest wait; undefined if there is room now. */
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

/** An amount that counts for an hour from `atMs` on. */
type Use = { atMs: number; amount: number };

function startsOf(spent: readonly Spending[], nowMs: number): Use[] {
  return withinTheHour(
    spent.map(({ startedAtMs }) => ({ atMs: startedAtMs, amount: 1 })),
    nowMs,
  );
}

/** A session's tokens count from its end: before that, they still grow. */
function tokensOf(spent: readonly Spending[], nowMs: number): Use[] {
  return withinTheHour(
    spent.map(({ endedAtMs, startedAtMs, tokens }) => ({ atMs: endedAtMs ?? startedAtMs, amount: tokens })),
    nowMs,
  );
}

function withinTheHour(uses: readonly Use[], nowMs: number): Use[] {
  return uses.filter(({ atMs }) => atMs > nowMs - hourMs).toSorted((one, other) => one.atMs - other.atMs);
}

/** There is room once enough of the oldest uses are an hour old. */
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
