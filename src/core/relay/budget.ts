/**
 * Budgets: the limits on use by a session, a relay, a run and a day. A session starts only if each budget has room for its
 * expected use, and while it runs it may use the remainder.
 */
import type { Budgets } from "../settings/budget-schema.ts";
import { budgetSpans, budgetUnits } from "../reason/amounts.ts";
import type { BudgetSpan, BudgetUnit } from "../reason/amounts.ts";
import { timeMarks } from "../limits.ts";
import type { RelayState } from "../journal/relay-state.ts";
import type { BudgetMarkReason } from "../reason/ending-schema.ts";
import { spendingOf } from "./spending.ts";
import type { Spending } from "./spending.ts";

export type Amounts = Partial<Record<BudgetUnit, number | undefined>>;

/** The use of one budget. */
export type Standing = {
  span: BudgetSpan;
  unit: BudgetUnit;
  max: number;
  /** The use of ended sessions, and of running ones: their use so far, or the expected use of one if that is more. */
  used: number;
  /** The expected use of the next session. */
  reserve: number;
};

/** The inputs other than the relay's own journal: the sessions of other relays, the current run, and the time. */
export type Counted = { elsewhere: readonly Spending[]; run: string | undefined; nowMs: number };

const dayMs = 24 * 60 * 60_000;

/** Every budget that is set and spans more than one session. */
export function standings(state: RelayState, counted: Counted): Standing[] {
  const own = spendingOf(state);
  const inRelay = own.slice(own.length - (state.opening?.sessions.length ?? 0));
  return standingsOf(budgetsOf(state), { own, inRelay }, counted);
}

/** `own` are all sessions of the relay, `inRelay` those of its current opening. */
type Own = { own: readonly Spending[]; inRelay: readonly Spending[] };

function standingsOf(budgets: Partial<Budgets>, { own, inRelay }: Own, counted: Counted): Standing[] {
  const all = [...own, ...counted.elsewhere];
  const since = counted.nowMs - dayMs;
  const spent: Record<BudgetSpan, readonly Spending[]> = {
    relay: inRelay,
    run: all.filter(({ run }) => run !== undefined && run === counted.run),
    day: all.filter(({ startedAtMs, endedAtMs }) => (endedAtMs ?? startedAtMs) > since),
  };
  const reserves = reservesOf(budgets, own);
  return budgetSpans.flatMap((span) =>
    budgetUnits.flatMap((unit) => {
      const max = maxOf(budgets, span, unit);
      if (max === undefined) return [];
      const reserve = reserves[unit];
      const used = spent[span].reduce((sum, one) => sum + usedBy(one, unit, reserve, counted.nowMs), 0);
      return [{ span, unit, max, used, reserve }];
    }),
  );
}

/** The first budget without room for another session. */
export function spentBudget(state: RelayState, counted: Counted): Standing | undefined {
  return standings(state, counted).find(hasNoRoom);
}

function hasNoRoom({ used, reserve, max }: Standing): boolean {
  return used >= max || used + reserve > max + rounding;
}

/** The budget check and the allowance of a session outside any relay. */
export function beforeRelay(
  budgets: Partial<Budgets>,
  counted: Counted,
): { spent: Standing | undefined; may: Omit<Amounts, "sessions"> } {
  const all = standingsOf(budgets, { own: [], inRelay: [] }, counted);
  return { spent: all.find(hasNoRoom), may: leftOf(all, budgets) };
}

/** The allowance of the next session: the remainder of each budget, and its own limits. */
export function allowance(state: RelayState, counted: Counted): Omit<Amounts, "sessions"> {
  return leftOf(standings(state, counted), budgetsOf(state));
}

function leftOf(all: readonly Standing[], { session }: Partial<Budgets>): Omit<Amounts, "sessions"> {
  const left = (unit: BudgetUnit, own: number | undefined): number | undefined => {
    const rooms = all.filter((one) => one.unit === unit).map(({ max, used }) => max - used);
    const least = Math.min(...rooms, own ?? Infinity);
    return least === Infinity ? undefined : Math.max(0, least);
  };
  return {
    minutes: left("minutes", undefined),
    tokens: left("tokens", session?.tokens),
    costUsd: left("costUsd", session?.costUsd),
  };
}

/** The number of marks (of three) that a running session has reached, by its most used budget. */
export function budgetMarkOf(
  used: Pick<Amounts, "tokens" | "costUsd">,
  may: Pick<Amounts, "tokens" | "costUsd">,
): { marks: number; reason: BudgetMarkReason } | undefined {
  const reached = (["tokens", "costUsd"] as const).flatMap((unit) => {
    const [sofar, all] = [used[unit], may[unit]];
    if (sofar === undefined || all === undefined) return [];
    const marks = timeMarks.filter((mark) => sofar >= all * mark - rounding).length;
    return [{ marks, reason: { rule: "budget_mark", unit, used: sofar, max: all } as const }];
  });
  return reached.toSorted((one, other) => other.marks - one.marks)[0];
}

/** A tolerance, since sums of cents are not exact. */
const rounding = 1e-9;

/** The budgets of the opening; none before a relay is open. */
function budgetsOf(state: RelayState): Partial<Budgets> {
  return state.opening?.settings.budgets ?? {};
}

function maxOf(budgets: Partial<Budgets>, span: BudgetSpan, unit: BudgetUnit): number | undefined {
  const amounts: Amounts | undefined = budgets[span];
  return amounts?.[unit];
}

function usedBy(one: Spending, unit: BudgetUnit, reserve: number, nowMs: number): number {
  if (unit === "sessions") return 1;
  const running = one.endedAtMs === undefined;
  const amount = unit === "minutes" ? (one.minutes ?? (nowMs - one.startedAtMs) / 60_000) : one[unit];
  return running ? Math.max(amount, reserve) : amount;
}

/** The expected use: as configured, or the mean of the relay's sessions; nothing is reserved for the first one. */
function reservesOf(budgets: Partial<Budgets>, own: readonly Spending[]): Record<BudgetUnit, number> {
  const mean = (unit: "minutes" | "tokens" | "costUsd"): number => {
    const amounts = own.flatMap((one) => (one.endedAtMs !== undefined && one[unit] ? [one[unit]] : []));
    return amounts.length === 0 ? 0 : amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length;
  };
  const { reserve } = budgets;
  return {
    sessions: 1,
    minutes: reserve?.minutes ?? mean("minutes"),
    tokens: reserve?.tokens ?? mean("tokens"),
    costUsd: reserve?.costUsd ?? mean("costUsd"),
  };
}
