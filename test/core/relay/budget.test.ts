import { inWords } from "../support/in-words.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byHand } from "../../../src/core/journal/steps.ts";
import type { Way } from "../../../src/core/error/hint-schema.ts";
import { allowance, budgetMarkOf, spentBudget, standings } from "../../../src/core/relay/budget.ts";
import type { BudgetUnit } from "../../../src/core/reason/amounts.ts";
import { decide } from "../../../src/core/relay/decide.ts";
import type { RelayState } from "../../../src/core/journal/relay-state.ts";
import type { Spending } from "../../../src/core/relay/spending.ts";
import { replay } from "../../../src/core/journal/state.ts";
import { cleared, ended, executor, handoff, journal, opened, openedWith } from "../support/relays.ts";
import { paused, pulled, requested, resumed, submitted } from "../support/relays.ts";
import type { Step } from "../support/relays.ts";
import { runs } from "../../support/runs.ts";

const minute = 60_000;
const hour = 60 * minute;

/** An Executor session of 10 minutes. */
const cost = (costUsd: number, more: { tokens?: number; contextTokens?: number } = {}): Step[] => [
  executor,
  ended("handed_over", { costUsd, durationMs: 10 * minute, ...more }),
  handoff,
];
const budgets = (set: object): Step => openedWith({ sessionsPerHour: 1_000 }, { budgets: set });
const other = (more: Partial<Spending>): Spending => ({
  issue: "FEAT-0002",
  session: 1,
  startedAtMs: 0,
  endedAtMs: 10 * minute,
  minutes: 10,
  tokens: 0,
  costUsd: 0,
  ...more,
});

const at = (steps: readonly Step[], elsewhere: readonly Spending[] = [], nowMs = hour) => {
  const state = replay(journal(steps));
  const counted = { elsewhere, run: "this", nowMs };
  return { state, counted };
};
const decided = (steps: readonly Step[], elsewhere: readonly Spending[] = [], nowMs = hour) => {
  const { state, counted } = at(steps, elsewhere, nowMs);
  return decide(state, state.opening!.settings.limits, nowMs, counted);
};

type Row = [string, Step[], Spending[], object];

const raise = (setting: string): Way => [
  { do: "raise", setting, where: `${setting} in monoco.yaml` },
  { do: "resume" },
];

describe("a session is started only where its share is left of every budget", () => {
  test.for<Row>([
    ["no budgets, no limit", [opened, ...cost(1_000)], [], { do: "start" }],
    ["the first is started on trust", [budgets({ relay: { costUsd: 0.01 } })], [], { do: "start" }],
    [
      "not after the budget is spent, with the figures and the setting that raises it",
      [budgets({ relay: { costUsd: 4 } }), ...cost(5)],
      [],
      {
        do: "block",
        because: "the relay has used $5.00 of $4.00 (budgets.relay.costUsd)",
        hint: [raise("budgets.relay.costUsd")],
      },
    ],
    [
      "nor where less is left than a session took on average",
      [budgets({ relay: { costUsd: 5 } }), ...cost(1), ...cost(3)],
      [],
      {
        do: "block",
        because: "the relay has used $4.00 of $5.00, and a session takes about $2.00 (budgets.relay.costUsd)",
      },
    ],
    ["an average is left", [budgets({ relay: { costUsd: 6 } }), ...cost(1), ...cost(3)], [], { do: "start" }],
    [
      "a reserve that is set takes the average's place",
      [budgets({ relay: { costUsd: 5 }, reserve: { costUsd: 0.5 } }), ...cost(1), ...cost(3)],
      [],
      { do: "start" },
    ],
    [
      "for the first session, too",
      [budgets({ relay: { costUsd: 1 }, reserve: { costUsd: 2 } })],
      [],
      {
        do: "block",
        because: "the relay has used $0.00 of $1.00, and a session takes about $2.00 (budgets.relay.costUsd)",
      },
    ],
    [
      "wall time is that of sessions",
      [budgets({ relay: { minutes: 25 } }), ...cost(0), hour, ...cost(0)],
      [],
      {
        do: "block",
        because:
          "the relay has used 20 minutes of 25 minutes, and a session takes about 10 minutes (budgets.relay.minutes)",
      },
    ],
    [
      "tokens are those that the agent tells",
      [budgets({ relay: { tokens: 100 } }), ...cost(0, { tokens: 100, contextTokens: 9 })],
      [],
      { do: "block", because: "the relay has used 100 tokens of 100 tokens (budgets.relay.tokens)" },
    ],
    [
      "or its context, where it tells no more",
      [budgets({ relay: { tokens: 100 } }), ...cost(0, { contextTokens: 100 })],
      [],
      { do: "block" },
    ],
    [
      "what another clone recorded was not used here",
      [budgets({}), ...cost(5), pulled, budgets({ day: { costUsd: 4 } })],
      [],
      { do: "start" },
    ],
    [
      "other relays do not count for this one's",
      [budgets({ relay: { costUsd: 5 } }), ...cost(1)],
      [other({ costUsd: 9 })],
      { do: "start" },
    ],
    [
      "but for the day's",
      [budgets({ day: { costUsd: 9 } }), ...cost(1)],
      [other({ costUsd: 9 })],
      {
        do: "block",
        because: "the last 24 hours have used $10.00 of $9.00 (budgets.day.costUsd)",
        hint: [raise("budgets.day.costUsd"), byHand("wait until older sessions are a day old")],
      },
    ],
    [
      "yesterday's are over",
      [budgets({ day: { costUsd: 9 } }), ...cost(1)],
      [other({ costUsd: 9, endedAtMs: -23 * hour - 1 })],
      { do: "start" },
    ],
    [
      "for a run's, those that it started",
      [budgets({ run: { sessions: 3 } }), ...cost(1)],
      [other({ run: "this" }), other({ run: "this", session: 2 }), other({ run: "that", session: 3 })],
      { do: "start" },
    ],
    [
      "up to its number",
      [budgets({ run: { sessions: 2 } })],
      [other({ run: "this" }), other({ run: "this", session: 2 })],
      {
        do: "block",
        because: "this run has used 2 sessions of 2 sessions (budgets.run.sessions)",
        hint: [raise("budgets.run.sessions"), [{ do: "resume", note: "begins a new run" }]],
      },
    ],
    [
      "what runs elsewhere keeps its share reserved",
      [budgets({ day: { costUsd: 5 } }), ...cost(2)],
      [other({ endedAtMs: undefined, minutes: undefined })],
      {
        do: "block",
        because:
          "the last 24 hours have used $4.00 of $5.00, and a session takes about $2.00 (budgets.day.costUsd)",
      },
    ],
    [
      "a Reviewer's session costs like any other",
      [
        budgets({ relay: { costUsd: 1 } }),
        ...submitted.slice(0, 1),
        ended("submitted", { costUsd: 1 }),
        ...submitted.slice(2),
      ],
      [],
      { do: "block" },
    ],
    [
      "what needs no agent is done all the same",
      [budgets({ relay: { costUsd: 1 } }), ...cost(2), requested("person")],
      [],
      { do: "check" },
    ],
    [
      "never in the middle of a handoff",
      [budgets({ relay: { costUsd: 1 } }), executor, ended("budget", { costUsd: 2 })],
      [],
      { do: "hand_over" },
    ],
    [
      "a resume gives nothing",
      [budgets({ relay: { costUsd: 1 } }), ...cost(2), paused, resumed],
      [],
      { do: "block" },
    ],
    [
      "a relay opened anew has a budget of its own",
      [budgets({ relay: { costUsd: 3 } }), ...cost(2), cleared, budgets({ relay: { costUsd: 3 } })],
      [],
      { do: "start" },
    ],
  ])("%s", ([, steps, elsewhere, expected]) => {
    expect(inWords(decided(steps, elsewhere))).toMatchObject(expected);
  });
});

test("a running session may use what is left of the tightest budget, and no more than its own", () => {
  const { state, counted } = at(
    [
      budgets({
        session: { tokens: 500, costUsd: 3 },
        relay: { costUsd: 10, minutes: 45 },
        day: { costUsd: 9, tokens: 10_000 },
      }),
      ...cost(6, { tokens: 9_000 }),
    ],
    [other({ costUsd: 2, tokens: 600 })],
  );
  expect(allowance(state, counted)).toEqual({ minutes: 35, tokens: 400, costUsd: 1 });
  expect(allowance(...withoutBudgets())).toEqual({
    minutes: undefined,
    tokens: undefined,
    costUsd: undefined,
  });
});

function withoutBudgets(): [RelayState, ReturnType<typeof at>["counted"]] {
  const { state, counted } = at([opened, ...cost(1)]);
  return [state, counted];
}

describe("a running session has reached", () => {
  test.for<[string, object, object, object | undefined]>([
    ["nothing, where no budget is set", { tokens: 9, costUsd: 9 }, {}, undefined],
    ["nothing, where its agent tells nothing", {}, { tokens: 9, costUsd: 9 }, undefined],
    ["no mark below 60 %", { costUsd: 1.19 }, { costUsd: 2 }, { marks: 0 }],
    [
      "the first at 60 %",
      { costUsd: 1.2 },
      { costUsd: 2 },
      { marks: 1, because: "$1.20 of its budget of $2.00 used" },
    ],
    [
      "the second at 80 %",
      { tokens: 80 },
      { tokens: 100 },
      { marks: 2, because: "80 tokens of its budget of 100 tokens used" },
    ],
    ["the last at its end, and beyond", { tokens: 101 }, { tokens: 100 }, { marks: 3 }],
    [
      "that of the budget that is nearer to its end",
      { tokens: 61, costUsd: 1.9 },
      { tokens: 100, costUsd: 2 },
      { marks: 2, because: "$1.90 of its budget of $2.00 used" },
    ],
  ])("%s", ([, used, may, expected]) => {
    const found = budgetMarkOf(used, may);
    if (found && expected) expect(inWords(found)).toMatchObject(expected);
    else expect(found).toBeUndefined();
  });
});

/** A relay of sessions that cost so much, one after the other: how many are started before a person is asked. */
function sessionsStarted(costs: readonly number[], maxUsd: number): number {
  const steps: Step[] = [budgets({ relay: { costUsd: maxUsd } })];
  for (const [index, costUsd] of costs.entries()) {
    if (decided(steps).do !== "start") return index;
    steps.push(...cost(costUsd));
  }
  return costs.length;
}

test("more budget never ends earlier: a relay with more starts as many sessions, or more", () => {
  const costs = fc.array(
    fc.integer({ min: 0, max: 40 }).map((dimes) => dimes / 10),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(costs, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 9 }), (paid, max, more) => {
      const started = sessionsStarted(paid, max);
      expect(sessionsStarted(paid, max + more)).toBeGreaterThanOrEqual(started);
      // What was spent before the last one was started had room for it.
      const before = paid.slice(0, Math.max(0, started - 1)).reduce((sum, usd) => sum + usd, 0);
      expect(before).toBeLessThan(max);
    }),
  );
});

const amounts = fc.record({
  costUsd: fc.integer({ min: 0, max: 40 }).map((cents) => cents / 10),
  tokens: fc.nat({ max: 1_000 }),
});
const spans = ["relay", "run", "day"] as const;
const units: readonly BudgetUnit[] = ["minutes", "tokens", "costUsd"];

test("more budget never ends earlier: where less has room for a session, more has, and leaves it no less", () => {
  const histories = fc.array(amounts, { maxLength: 6 });
  const others = fc.array(
    fc.tuple(amounts, fc.boolean(), fc.boolean()).map(([used, running, mine]) =>
      other({
        ...used,
        run: mine ? "this" : "that",
        ...(running ? { endedAtMs: undefined, minutes: undefined } : {}),
      }),
    ),
    { maxLength: 4 },
  );
  const set = fc.record({
    span: fc.constantFrom(...spans),
    unit: fc.constantFrom(...units),
    max: fc.integer({ min: 1, max: 3_000 }),
    more: fc.integer({ min: 0, max: 500 }),
  });
  fc.assert(
    fc.property(histories, others, set, (history, elsewhere, { span, unit, max, more }) => {
      const steps = history.flatMap(({ costUsd, tokens }) => cost(costUsd, { tokens }));
      const less = at([budgets({ [span]: { [unit]: max } }), ...steps], elsewhere);
      const greater = at([budgets({ [span]: { [unit]: max + more } }), ...steps], elsewhere);
      if (!spentBudget(less.state, less.counted))
        expect(spentBudget(greater.state, greater.counted)).toBeUndefined();
      const key = unit as "minutes";
      expect(allowance(greater.state, greater.counted)[key]).toBeGreaterThanOrEqual(
        allowance(less.state, less.counted)[key]!,
      );
      expect(standings(greater.state, greater.counted)[0]!.used).toBe(
        standings(less.state, less.counted)[0]!.used,
      );
    }),
    { numRuns: runs(300) },
  );
});
