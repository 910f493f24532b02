/** The cost of tokens if the agent reports none: a price table by model, under `prices:` in monoco.yaml. */
import { z } from "zod";
import { t } from "../language/translate.ts";
import type { Budgets } from "./budget-schema.ts";

const usd = z.number().nonnegative();

/** Prices in US dollars per million tokens. monoco ships none, since they age. */
export const priceSchema = z.strictObject({
  /** Input tokens that are not cached. */
  input: usd,
  output: usd,
  /** Input tokens from the vendor's cache; by default at the price of `input`. */
  cached: usd.optional(),
});
export type Price = z.infer<typeof priceSchema>;

/** The tokens of one response by price; no token is in two parts. */
export type TokenParts = { input: number; cached: number; output: number };

/** The cost in US dollars. */
export function costOf({ input, cached, output }: TokenParts, price: Price): number {
  return (input * price.input + cached * (price.cached ?? price.input) + output * price.output) / 1e6;
}

/** The price of a model; undefined without a model, or if the table lacks it. */
export function priceOf(
  { prices }: { prices: Readonly<Record<string, Price>> },
  model: string | undefined,
): Price | undefined {
  return model !== undefined && Object.hasOwn(prices, model) ? prices[model] : undefined;
}

/** The key of the first money budget that is set, as `budgets.relay.costUsd`. */
export function moneyBudget({ budgets }: { budgets: Budgets }): string | undefined {
  const spans = ["session", "relay", "run", "day"] as const;
  const span = spans.find((name) => budgets[name]?.costUsd !== undefined);
  return span && `budgets.${span}.costUsd`;
}

/** Why an agent that reports no cost is not used, and the remedy; undefined without a money budget, or if its model has a price. */
export function unpriced(
  settings: { budgets: Budgets; prices: Readonly<Record<string, Price>> },
  { name, model }: { name: string; model?: string | undefined },
): { said: string; remedy: string } | undefined {
  const budget = moneyBudget(settings);
  if (budget === undefined || priceOf(settings, model)) return undefined;
  const todo =
    model === undefined ? t`agents.${name}.model and the model's entry under prices:` : `prices.${model}`;
  return {
    said: t`it reports no cost, and ${budget} is set`,
    remedy: t`set ${todo}, or a budget in tokens instead`,
  };
}
