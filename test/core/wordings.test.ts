/** Wordings from elsewhere: how well the rules do at the least. What is held out was never looked at while they were tuned. */
import { expect, test } from "vitest";
import { figuresOf, halfOf, measures } from "../../scripts/wordings.ts";
import type { Half } from "../../scripts/wordings.ts";

// TRAP 69
test.for<[keyof typeof measures, Half, { falses: number; misses: number }]>([
  ["a usage limit", "tuned", { falses: 0, misses: 0 }],
  ["a usage limit", "held out", { falses: 0, misses: 2 }],
  ["for a person", "tuned", { falses: 0, misses: 0 }],
  ["for a person", "held out", { falses: 0, misses: 0 }],
  ["the reset time", "tuned", { falses: 0, misses: 0 }],
  ["the reset time", "held out", { falses: 0, misses: 1 }],
  // Prompts and documents that show a block are taken for one; blocks without EXIT_SIGNAL say nothing: their agents are asked.
  ["a structured yes", "tuned", { falses: 1, misses: 0 }],
  ["a structured yes", "held out", { falses: 2, misses: 0 }],
  ["a structured no", "tuned", { falses: 4, misses: 3 }],
  ["a structured no", "held out", { falses: 1, misses: 0 }],
  ["a question in its field", "tuned", { falses: 0, misses: 0 }],
  ["a question in its field", "held out", { falses: 0, misses: 0 }],
])("%s, %s: no more is missed or false than now", ([measure, half, most]) => {
  const { falses, misses } = figuresOf(measures[measure]!().filter((one) => halfOf(one) === half));
  expect(falses).toBeLessThanOrEqual(most.falses);
  expect(misses).toBeLessThanOrEqual(most.misses);
});

test("about half is held out", () => {
  const all = Object.values(measures).flatMap((judge) => judge());
  const share = all.filter((one) => halfOf(one) === "held out").length / all.length;
  expect(share).toBeGreaterThan(0.4);
  expect(share).toBeLessThan(0.6);
});
