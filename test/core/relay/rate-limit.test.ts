import { inWords } from "../support/in-words.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fullHour } from "../../../src/core/relay/rate-limit.ts";
import type { FullHour } from "../../../src/core/relay/rate-limit.ts";
import type { Spending } from "../../../src/core/relay/spending.ts";

const minute = 60_000;
const hour = 60 * minute;

let sessions = 0;
const ran = (startedAtMs: number, tokens = 0, more: Partial<Spending> = {}): Spending => ({
  issue: "FEAT-0001",
  session: (sessions += 1),
  startedAtMs,
  endedAtMs: startedAtMs + minute,
  tokens,
  costUsd: 0,
  ...more,
});

type Row = [string, Spending[], { sessionsPerHour: number; tokensPerHour?: number }, object | undefined];

describe("an hour is full", () => {
  test.for<Row>([
    ["never, when nothing has run", [], { sessionsPerHour: 1 }, undefined],
    ["not below its limit", [ran(0), ran(minute)], { sessionsPerHour: 3 }, undefined],
    [
      "at its limit of sessions, until the oldest has left it",
      [ran(5 * minute), ran(0), ran(minute)],
      { sessionsPerHour: 3 },
      {
        reason: { rule: "sessions_per_hour", used: 3, max: 3 },
        untilMs: hour,
        because: "3 sessions were started within an hour (limits.sessionsPerHour 3)",
      },
    ],
    [
      "above a limit that was lowered: until enough have left it",
      [ran(0), ran(minute), ran(2 * minute)],
      { sessionsPerHour: 1 },
      { reason: { used: 3, max: 1 }, untilMs: hour + 2 * minute },
    ],
    ["no more by what is an hour old", [ran(-50 * minute)], { sessionsPerHour: 1 }, undefined],
    [
      "at its limit of tokens, counted from the end of a session",
      [ran(0, 600), ran(10 * minute, 500)],
      { sessionsPerHour: 9, tokensPerHour: 1_000 },
      {
        reason: { rule: "tokens_per_hour", used: 1_100, max: 1_000 },
        untilMs: hour + minute,
        because: "1100 tokens were used within an hour (limits.tokensPerHour 1000)",
      },
    ],
    [
      "by a session that still runs, too",
      [ran(0, 2_000, { endedAtMs: undefined })],
      { sessionsPerHour: 9, tokensPerHour: 1_000 },
      { reason: { used: 2_000 }, untilMs: hour },
    ],
    [
      "by two limits: the later time counts",
      [ran(0, 0), ran(5 * minute, 2_000)],
      { sessionsPerHour: 2, tokensPerHour: 1_000 },
      { rule: "tokens_per_hour", untilMs: hour + 6 * minute },
    ],
  ])("%s", ([, spent, limits, expected]) => {
    const full = fullHour(spent, limits, 20 * minute);
    if (full && expected) expect(inWords(full)).toMatchObject(expected);
    else expect(full).toBeUndefined();
  });
});

const spendings = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 2 * hour }), fc.nat({ max: 900 }))
    .map(([atMs, tokens]) => ran(atMs, tokens)),
  { maxLength: 12 },
);
const limitsOf = fc.record({
  sessionsPerHour: fc.integer({ min: 1, max: 5 }),
  tokensPerHour: fc.option(fc.integer({ min: 1, max: 2_000 }), { nil: undefined }),
});
const untilOf = (full: FullHour | undefined): number => full?.untilMs ?? 0;

test("at the time that it names there is room, and not a moment before", () => {
  fc.assert(
    fc.property(spendings, limitsOf, (spent, limits) => {
      const full = fullHour(spent, limits, 2 * hour);
      if (!full) return;
      expect(full.untilMs).toBeGreaterThan(2 * hour);
      expect(fullHour(spent, limits, full.untilMs)).toBeUndefined();
      expect(fullHour(spent, limits, full.untilMs - 1)).toMatchObject({ untilMs: full.untilMs });
    }),
  );
});

test("a higher limit never waits longer, and one more session never waits shorter", () => {
  fc.assert(
    fc.property(spendings, limitsOf, (spent, limits) => {
      const until = untilOf(fullHour(spent, limits, 2 * hour));
      const more = { sessionsPerHour: limits.sessionsPerHour + 1, tokensPerHour: limits.tokensPerHour };
      expect(untilOf(fullHour(spent, more, 2 * hour))).toBeLessThanOrEqual(until);
      expect(untilOf(fullHour([...spent, ran(2 * hour, 5)], limits, 2 * hour))).toBeGreaterThanOrEqual(until);
    }),
  );
});
