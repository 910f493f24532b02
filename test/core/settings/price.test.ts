/** What tokens cost by the price table, and which budget asks for one. */
import { expect, test } from "vitest";
import { costOf, moneyBudget, priceOf } from "../../../src/core/settings/price.ts";
import { settingsSchema } from "../../../src/core/settings/settings.ts";
import { nothingSeen, see } from "../../../src/core/session/observations.ts";

const prices = { "gpt-x": { input: 2, output: 10, cached: 0.5 }, "gemini-x": { input: 1, output: 4 } };
const parts = { input: 1_000_000, cached: 2_000_000, output: 100_000 };

test("tokens cost what the table says per million; cached ones what input costs, where no price is named", () => {
  expect(costOf(parts, prices["gpt-x"])).toBeCloseTo(2 + 1 + 1);
  expect(costOf(parts, prices["gemini-x"])).toBeCloseTo(3 + 0.4);
});

test("a model that the table does not have has no price, whatever objects hold", () => {
  for (const model of [undefined, "gpt-y", "constructor"]) expect(priceOf({ prices }, model)).toBeUndefined();
});

test("a session's cost grows with each response, and what the agent itself reports counts instead", () => {
  const twice = [parts, parts].reduce(
    (seen, each) => see(seen, { type: "usage", contextTokens: 1, parts: each }),
    nothingSeen(0, prices["gpt-x"]),
  );
  expect(twice.costUsd).toBeCloseTo(8);
  expect(see(twice, { type: "usage", contextTokens: 1, costUsd: 3, parts }).costUsd).toBe(3);
  expect(see(nothingSeen(), { type: "usage", contextTokens: 1, parts }).costUsd).toBeUndefined();
});

test("a budget in money is named by its setting", () => {
  const named = (budgets: object): string | undefined => moneyBudget(settingsSchema.parse({ budgets }));
  expect(named({})).toBeUndefined();
  expect(named({ relay: { tokens: 5 }, day: { costUsd: 5 } })).toBe("budgets.day.costUsd");
});
