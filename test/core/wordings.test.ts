/** Wordings from elsewhere: how well the rules do at the least. What is held out was never looked at while they were tuned. */
import { expect, test } from "vitest";
import {
  blockWordings,
  figuresOf,
  halfOf,
  limitWordings,
  measures,
  questionWordings,
} from "../../scripts/wordings.ts";
import type { Half } from "../../scripts/wordings.ts";

// TRAP 69
test.for<[keyof typeof measures, Half, { falses: number; misses: number }]>([
  ["a usage limit", "tuned", { falses: 0, misses: 0 }],
  ["a usage limit", "held out", { falses: 0, misses: 0 }],
  ["for a person", "tuned", { falses: 0, misses: 0 }],
  ["for a person", "held out", { falses: 0, misses: 0 }],
  ["the reset time", "tuned", { falses: 0, misses: 0 }],
  ["the reset time", "held out", { falses: 0, misses: 1 }],
  // Judged for the first time a fifth of these was wrong. Some of that became rules: they are no measure any more.
  ["a usage limit", "late", { falses: 0, misses: 0 }],
  ["for a person", "late", { falses: 0, misses: 0 }],
  ["the reset time", "late", { falses: 0, misses: 1 }],
  ["a structured no", "late", { falses: 0, misses: 0 }],
  ["a question in its field", "late", { falses: 0, misses: 0 }],
  ["a question in prose", "late", { falses: 0, misses: 0 }],
  ["a structured yes", "tuned", { falses: 0, misses: 0 }],
  ["a structured yes", "held out", { falses: 0, misses: 0 }],
  // Blocks without EXIT_SIGNAL: their agents are asked.
  ["a structured no", "tuned", { falses: 0, misses: 2 }],
  ["a structured no", "held out", { falses: 0, misses: 0 }],
  ["a question in its field", "tuned", { falses: 0, misses: 0 }],
  ["a question in its field", "held out", { falses: 0, misses: 0 }],
  ["a question in prose", "tuned", { falses: 0, misses: 0 }],
  ["a question in prose", "held out", { falses: 1, misses: 0 }],
])("%s, %s: no more is missed or false than now", ([measure, half, most]) => {
  const { falses, misses } = figuresOf(measures[measure]!().filter((one) => halfOf(one) === half));
  expect(falses).toBeLessThanOrEqual(most.falses);
  expect(misses).toBeLessThanOrEqual(most.misses);
});

test("there are many of each, from elsewhere, and about half is held out", () => {
  for (const rows of [limitWordings(), blockWordings(), questionWordings()]) {
    const foreign = rows.filter(({ from }) => from !== undefined);
    expect(foreign.length).toBeGreaterThanOrEqual(60);
    expect(foreign.every(({ quoted }) => !quoted)).toBe(true);
  }
  const all = Object.values(measures)
    .flatMap((judge) => judge())
    .filter(({ late }) => !late);
  const share = all.filter((one) => halfOf(one) === "held out").length / all.length;
  expect(share).toBeGreaterThan(0.4);
  expect(share).toBeLessThan(0.6);
});
