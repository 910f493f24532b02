/** What tokens cost where the agent reports no cost: a price table by model, under `prices:` in monoco.yaml. */
import { z } from "zod";
import type { Budgets } from "./budget-schema.ts";

const usd = z.number().nonnegative();

/** US dollars per million tokens. monoco ships no prices: they age. */
export const priceSchema = z.strictObject({
  /** Read for the first time. */
  input: usd,
  output: usd,
  /** Read from the vendor's cache; the price of `input`, where it is left out. */
  cached: usd.optional(),
});
export type Price = z.infer<typeof priceSchema>;

/** Tokens of one response, by what they cost: no token is in two of them. */
export type TokenParts = { input: number; cached: number; output: number };

/** US dollars. */
export function costOf({ input, cached, output }: TokenParts, price: Price): number {
  return (input * price.input + cached * (price.cached ?? price.input) + output * price.output) / 1e6;
}

/** Undefined without a model, or for one that the table does not have. */
export function priceOf(
  { prices }: { prices: Readonly<Record<string, Price>> },
  model: string | undefined,
): Price | undefined {
  return model !== undefined && Object.hasOwn(prices, model) ? prices[model] : undefined;
}

/** The first budget in money that is set, as `budgets.relay.costUsd`. */
export function moneyBudget({ budgets }: { budgets: Budgets }): string | undefined {
  const spans = ["session", "relay", "run", "day"] as const;
  const span = spans.find((name) => budgets[name]?.costUsd !== undefined);
  return span && `budgets.${span}.costUsd`;
}
