/** What many relays come to. */
import { describe, expect, test } from "vitest";
import { statsOf } from "../../../src/core/report/stats.ts";
import type { Figures } from "../../../src/core/report/stats.ts";
import { statsLines } from "../../../src/views/stats-table.ts";
import type { Step } from "../support/relays.ts";
import { blockedNow, checked, ended, executor, failed, finished, given, handoff } from "../support/relays.ts";
import {
  journal,
  merged,
  noVerdict,
  opened,
  openedLoop,
  reviewer,
  verdictRefused,
} from "../support/relays.ts";
import { prepared, pulled, review, session, stalled, started, submitted, worked } from "../support/relays.ts";

const of = (...relays: Step[][]) => statsOf(relays.map((steps) => journal(steps)));

describe("success is merged", () => {
  const refusedVerdict: Step[] = [reviewer, given("approve"), ended("decided"), verdictRefused];
  const landed: Step[] = [...submitted, ...review("approve"), prepared, merged];

  test("a blocked relay whose verdicts were refused has not succeeded, nor have its Reviewers", () => {
    const found = of([opened, ...submitted, ...refusedVerdict, ...refusedVerdict, blockedNow]);
    expect(found).toMatchObject({ relays: { known: 1, merged: 0 }, all: { counted: 3, advanced: 1 } });
    expect(statsLines(found)[0]).toBe("relays 1: merged 0 (0 %); paused after failing sessions: 0");
  });

  test("each opening of an issue is a relay of its own", () => {
    expect(of([opened, ...landed, opened, ...landed, opened, ...worked]).relays).toEqual({
      known: 3,
      merged: 2,
      left: 0,
    });
  });

  test("what another clone recorded is not counted", () => {
    expect(of([opened, ...landed, pulled, opened, ...worked])).toMatchObject({
      relays: { known: 1, merged: 0 },
      all: { sessions: 1 },
    });
  });

  test("work that is left on its branch is not merged, and is told", () => {
    const found = of([openedLoop(), ...submitted, checked("green"), finished]);
    expect(found.relays).toEqual({ known: 1, merged: 0, left: 1 });
    expect(statsLines(found)[0]).toBe(
      "relays 1: merged 0 (0 %), left on their branches 1; paused after failing sessions: 0",
    );
  });
});

describe("a session has advanced its relay", () => {
  test.for<[string, Step[], Pick<Figures, "counted" | "advanced">]>([
    ["when it submitted", [...submitted], { counted: 1, advanced: 1 }],
    ["when it got on and handed over", [...worked], { counted: 1, advanced: 1 }],
    ["at its context mark too", [...session("context_limit")], { counted: 1, advanced: 1 }],
    ["not when it got nowhere", [...stalled], { counted: 1, advanced: 0 }],
    ["not when it failed, whatever it did", [...session("failure")], { counted: 1, advanced: 0 }],
    [
      "a Reviewer's with a verdict",
      [...submitted, ...review("request_changes")],
      { counted: 2, advanced: 2 },
    ],
    ["and not without one", [...submitted, ...noVerdict], { counted: 2, advanced: 1 }],
    [
      "one that a limit, a login or a person ended counts neither way",
      [...session("usage_limit"), ...session("needs_login"), ...session("user_interrupt")],
      { counted: 0, advanced: 0 },
    ],
    ["nor does one that runs", [executor], { counted: 0, advanced: 0 }],
  ])("%s", ([, steps, figures]) => expect(of([opened, ...steps]).all).toMatchObject(figures));
});

const timed = (durationMs: number, costUsd?: number): Step[] => [
  executor,
  ended("handed_over", { durationMs, ...(costUsd === undefined ? {} : { costUsd }) }),
  handoff,
];

test("durations, ends, handoffs, breaker trips, merges and cost are counted over all relays", () => {
  const generated: Step = (state) => ({ ...handoff(state), source: "generated" });
  const trip: Step = () => ({ type: "breaker.changed", to: "open", reason: { rule: "resumed" } });
  const found = of(
    [opened, ...timed(1000, 0.5), executor, ended("timeout", { durationMs: 2000 }), generated, trip],
    [opened, ...timed(3000, 0.25), ...submitted, ...review("approve"), prepared, merged],
  );
  expect(found).toMatchObject({
    since: null,
    relays: { known: 2, merged: 1, left: 0 },
    breakerTrips: 1,
    all: {
      sessions: 5,
      meanDurationMs: (1000 + 2000 + 3000 + 60_000 + 60_000) / 5,
      reasons: { handed_over: 2, timeout: 1, submitted: 1, decided: 1 },
      handoffs: { agent: 2, completed: 0, generated: 1 },
      costUsd: 0.75,
      costKnown: 2,
    },
  });
});

test("by agent and role", () => {
  const byMine: Step[] = [started("executor", "mine"), ended("failure", { progress: false }), handoff];
  const found = of([opened, ...worked, ...byMine, ...submitted, ...review("approve")]);
  expect(found.by.map(({ agent, role, sessions, advanced }) => [agent, role, sessions, advanced])).toEqual([
    ["claude", "executor", 2, 2],
    ["claude", "reviewer", 1, 1],
    ["mine", "executor", 1, 0],
  ]);
});

test("since a date: sessions that began before are left out, with what happened then", () => {
  const trip: Step = () => ({ type: "breaker.changed", to: "open", reason: { rule: "resumed" } });
  const events = journal([opened, ...worked, trip, 10_000, ...failed, ...worked]);
  expect(statsOf([events, journal([opened])], 5_000)).toMatchObject({
    since: "1970-01-01T00:00:05.000Z",
    relays: { known: 1 },
    breakerTrips: 0,
    all: { sessions: 2, advanced: 1 },
  });
});

test("in words", () => {
  expect(statsLines(of([opened, ...timed(90_000, 0.5), ...failed]))).toEqual([
    "relays 1: merged 0 (0 %); paused after failing sessions: 0",
    "",
    "all sessions: 2",
    "  advanced       1 of 2 (50 %)",
    "  mean duration  1 min 15 s",
    "  ended by       handed over 1, failure 1",
    "  handoffs       2 written (0 completed by monoco), 0 generated",
    "  cost           $0.50 (reported by 1 of 2)",
    "",
    "executor by claude: 2",
    "  advanced       1 of 2 (50 %)",
    "  mean duration  1 min 15 s",
    "  ended by       handed over 1, failure 1",
    "  handoffs       2 written (0 completed by monoco), 0 generated",
    "  cost           $0.50 (reported by 1 of 2)",
  ]);
  expect(statsLines(of())).toEqual(["no sessions yet"]);
});
