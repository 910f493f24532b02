/** Wordings from elsewhere: how well the rules do at the least. What is held out was never looked at while they were tuned. */
import { expect, test } from "vitest";
import { blockWordings, figuresOf, halfOf, limitWordings, measures } from "../../scripts/wordings.ts";
import type { Half } from "../../scripts/wordings.ts";

// TRAP 69
test.for<[keyof typeof measures, Half, { falses: number; misses: number }]>([
  ["a usage limit", "tuned", { falses: 0, misses: 0 }],
  ["a usage limit", "held out", { falses: 0, misses: 0 }],
  ["for a person", "tuned", { falses: 0, misses: 0 }],
  ["for a person", "held out", { falses: 0, misses: 0 }],
  ["the reset time", "tuned", { falses: 0, misses: 0 }],
  ["the reset time", "held out", { falses: 0, misses: 2 }],
])("%s, %s: no more is missed or false than now", ([measure, half, most]) => {
  const { falses, misses } = figuresOf(measures[measure]!().filter((one) => halfOf(one) === half));
  expect(falses).toBeLessThanOrEqual(most.falses);
  expect(misses).toBeLessThanOrEqual(most.misses);
});

test("there are many of each, from elsewhere, and about half is held out", () => {
  for (const rows of [limitWordings(), blockWordings()]) {
    const foreign = rows.filter(({ from }) => from !== undefined);
    expect(foreign.length).toBeGreaterThanOrEqual(60);
    expect(foreign.every(({ quoted }) => !quoted)).toBe(true);
    const share = foreign.filter((one) => halfOf(one) === "held out").length / foreign.length;
    expect(share).toBeGreaterThan(0.35);
    expect(share).toBeLessThan(0.65);
  }
});
