/** The units of budgets, and amounts as text. */
import { counted } from "../language/counted.ts";
import { t } from "../language/translate.ts";

export const budgetUnits = ["sessions", "minutes", "tokens", "costUsd"] as const;
export type BudgetUnit = (typeof budgetUnits)[number];
export const budgetSpans = ["relay", "run", "day"] as const;
export type BudgetSpan = (typeof budgetSpans)[number];

export const amountWords: Readonly<Record<BudgetUnit, (amount: number) => string>> = {
  sessions: (amount) => counted(amount, "session"),
  minutes: (amount) => counted(Math.round(amount * 10) / 10, "minute"),
  tokens: (amount) => counted(Math.round(amount), "token"),
  costUsd: (amount) => `$${amount.toFixed(2)}`,
};

/** The use of a budget: "$4.20 of $5.00". */
export function budgetWords({ unit, used, max }: { unit: BudgetUnit; used: number; max: number }): string {
  return t`${amountWords[unit](used)} of ${amountWords[unit](max)}`;
}
