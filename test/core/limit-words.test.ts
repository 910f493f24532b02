import { describe, expect, test } from "vitest";
import { resetInWords, saysUsageLimit } from "../../src/core/limit-words.ts";

const nowMs = Date.UTC(2026, 10, 21, 8, 0);

// TRAP 14
describe("a failed result says that a usage limit is reached", () => {
  test.for<[string, number | undefined]>([
    ["You've hit your limit · resets 9:36am (UTC)", Date.UTC(2026, 10, 21, 9, 36)],
    ["You’ve hit your 5-hour limit · resets 7am (UTC)", Date.UTC(2026, 10, 22, 7)],
    ["You have reached your weekly limit, resets 12:05pm (UTC)", Date.UTC(2026, 10, 21, 12, 5)],
    ["You've hit your session limit · resets 12am (UTC)", Date.UTC(2026, 10, 22)],
    ["API Error: Request rejected (429) · Claude AI usage limit reached|1795253808", 1_795_253_808_000],
    ["5-hour limit reached ∙ resets 3pm", undefined],
    ["Usage limit has been reached. Try again in 20 minutes.", nowMs + 20 * 60_000],
    ["usage limit exceeded; resets in 3 hours", nowMs + 3 * 3_600_000],
  ])("%s", ([words, resetsAtMs]) => {
    expect(saysUsageLimit(words)).toBe(true);
    expect(resetInWords(words, nowMs)).toBe(resetsAtMs);
  });
});

test.for([
  ["Server is temporarily limiting requests (not your usage limit) · usage limit reached elsewhere"],
  ["Request rejected (429) · This request would exceed the rate limit for your organization"],
  ["Prompt is too long"],
  ["disk quota exceeded"],
  ["Output token limit hit"],
  ["the rate limit of the API that this issue is about was exceeded"],
  [""],
])("%s is none", ([words]) => {
  expect(saysUsageLimit(words!)).toBe(false);
});
