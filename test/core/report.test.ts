import { describe, expect, test } from "vitest";
import type { EventBody } from "../../src/core/event.ts";
import { describeEvent, percent, reportOf, seconds } from "../../src/core/report.ts";
import { replay } from "../../src/core/state.ts";
import { commit, finished, openedLoop } from "./support/relays.ts";
import {
  blocked,
  cancelled,
  checked,
  cleared,
  conflicted,
  decided,
  ended,
  executor,
} from "./support/relays.ts";
import {
  failed,
  handoff,
  journal,
  limitHit,
  merged,
  opened,
  paused,
  prepared,
  refused,
  rejected,
} from "./support/relays.ts";
import { requested, resumed, review, reviewer, submitted, worked } from "./support/relays.ts";
import type { Step } from "./support/relays.ts";

/** The words of the last event of `steps`. */
const told = (...steps: Step[]): [string | undefined, string | undefined] => {
  const line = describeEvent(journal(steps).at(-1)!);
  return [line?.tone, line?.text];
};
const say =
  (body: EventBody): Step =>
  () =>
    body;

describe("an event in words", () => {
  test.for<[Step[], string, string]>([
    [[opened], "plain", "opened: Log in (base main cccccccc)"],
    [[opened, executor], "plain", "session 1 started: executor by claude, because a test"],
    [
      [
        opened,
        executor,
        say({
          type: "usage.measured",
          session: 1,
          contextTokens: 120_000,
          windowTokens: 200_000,
          mark: "plan",
        }),
      ],
      "dim",
      "session 1: context mark plan at 60 %",
    ],
    [
      [opened, executor, say({ type: "extension.granted", session: 1, minutes: 5, because: "slow tests" })],
      "dim",
      "session 1: 5 more minutes granted (slow tests)",
    ],
    [
      [
        opened,
        executor,
        ended("handed_over", { commits: 2, contextTokens: 150_000, windowTokens: 200_000, costUsd: 1.234 }),
      ],
      "plain",
      "session 1 ended: handed_over [1 min 0 s, context 75 %, 2 commits, $1.23]",
    ],
    [
      [opened, executor, ended("failure", { commits: 0, evidence: ["exit status 1"] })],
      "bad",
      "session 1 ended: failure (exit status 1) [1 min 0 s]",
    ],
    [[opened, ...worked], "plain", "session 1: handoff written by the agent"],
    [
      [opened, executor, ended("submitted"), requested()],
      "plain",
      "submission 1: commit cccccccc by executor",
    ],
    [[opened, executor, ended("submitted"), refused], "bad", "submission refused: uncommitted changes: a.ts"],
    [
      [
        opened,
        executor,
        ended("submitted"),
        requested(),
        say({ type: "contract.tampered", submission: 1, fields: ["checks", "objective"] }),
      ],
      "bad",
      "submission 1 changes the contract: checks, objective",
    ],
    [
      [
        opened,
        executor,
        ended("submitted"),
        requested(),
        say({
          type: "submission.inspected",
          submission: 1,
          protected: [{ path: "yarn.lock", kind: "lockfile" }],
          weakened: [{ file: "a.test.ts", kind: "snapshot", text: "" }],
          more: { protected: 0, weakened: 4 },
        }),
      ],
      "bad",
      "submission 1 changes 1 protected path, 5 places that weaken tests or checks",
    ],
    [[opened, ...submitted], "good", "submission 1: checks green"],
    [
      [opened, executor, ended("submitted"), requested(), checked("red")],
      "bad",
      "submission 1: checks RED: npm test",
    ],
    [[opened, ...submitted, decided("approve")], "good", "submission 1: approved by the reviewer"],
    [
      [opened, ...submitted, decided("request_changes", "person")],
      "bad",
      "submission 1: changes requested by the person: blocker: It does not compile",
    ],
    [
      [opened, executor, (state) => ({ ...limitHit(0)(state), resetGuessed: true as const })],
      "bad",
      "usage limit of claude until 1970-01-01T00:00:00.000Z (a guess: no time is named)",
    ],
    [[opened, executor, limitHit(0)], "bad", "usage limit of claude until 1970-01-01T00:00:00.000Z"],
    [
      [opened, executor, limitHit(Number.MAX_SAFE_INTEGER)],
      "bad",
      "usage limit of claude until 9007199254740991 ms",
    ],
    [
      [opened, ...submitted, decided("approve"), prepared],
      "dim",
      "merge of submission 1 prepared as cccccccc",
    ],
    [[opened, ...submitted, decided("approve"), merged], "good", "merged submission 1 as cccccccc"],
    [[opened, ...submitted, conflicted], "bad", "merge conflict in a.ts"],
    [[opened, ...submitted, rejected], "bad", "merge rejected: npm test failed"],
    [[opened, paused], "plain", "paused: a person asked"],
    [[opened, paused, resumed], "plain", "resumed by a person"],
    [[opened, blocked], "bad", "blocked: stuck"],
    [[opened, cancelled], "plain", "cancelled: no need"],
    [[opened, cleared], "plain", "cleared"],
  ])("%#: %s", ([steps, tone, text]) => expect(told(...steps)).toEqual([tone, text]));

  test("what only machines need is not told", () => {
    expect(describeEvent({ type: "session.identified", session: 1, agentSessionId: "x" })).toBeUndefined();
  });

  // TRAP 44
  test("an agent's words carry no escapes and no line breaks into it", () => {
    const line = describeEvent({ type: "relay.paused", by: "person", because: "a\u001b[31m\nb\u202e" });
    expect(line?.text).toBe("paused: a b");
  });
});

test.for<[number, string]>([
  [0, "0.0 s"],
  [1_234, "1.2 s"],
  [59_940, "59.9 s"],
  [59_999, "1 min 0 s"],
  [60_000, "1 min 0 s"],
  [119_999, "2 min 0 s"],
  [3_723_000, "62 min 3 s"],
])("%d ms are %s", ([ms, text]) => expect(seconds(ms)).toBe(text));

test("context is told in percent where the window is known", () => {
  expect(percent(160_000, 200_000)).toBe("80 %");
  expect(percent(160_000)).toBe("160000 tokens");
});

const of = (steps: Step[], runnerAlive = false, nowMs = 0): ReturnType<typeof reportOf> =>
  reportOf(replay(journal(steps)), { runnerAlive, nowMs });

describe("the report", () => {
  test("of a relay tells its sessions, its submissions and what comes next", () => {
    const steps = [
      opened,
      executor,
      ended("submitted", { costUsd: 1, contextTokens: 10 }),
      requested(),
      checked("green"),
      ...review("request_changes"),
      handoff,
    ];
    expect(of(steps)).toEqual({
      issue: "FEAT-0001",
      title: "Log in",
      phase: "ready",
      because: "changes were requested on submission 1",
      next: "start a session",
      hint: "monoco relay resume FEAT-0001",
      waitingUntilMs: null,
      runner: "none",
      sessions: [
        {
          session: 1,
          role: "executor",
          agent: "claude",
          reason: "submitted",
          evidence: ["the evidence"],
          contextTokens: 10,
          windowTokens: null,
          costUsd: 1,
          durationMs: 60_000,
          commits: 1,
          handoff: "agent",
        },
        {
          session: 2,
          role: "reviewer",
          agent: "claude",
          reason: "decided",
          evidence: ["the evidence"],
          contextTokens: null,
          windowTokens: null,
          costUsd: null,
          durationMs: 60_000,
          commits: 1,
          handoff: null,
        },
      ],
      submissions: [
        {
          submission: 1,
          head: expect.any(String),
          by: "executor",
          checks: "green",
          verdict: "request_changes",
          decidedBy: "reviewer",
          findings: 1,
          tampered: [],
          protected: [],
          weakened: 0,
          outcome: null,
        },
      ],
      sessionsSpent: 2,
      sessionsMax: 30,
      costUsd: 1,
      budgets: [],
      question: null,
      containment: "process-group",
      breaker: { is: "closed", because: null, untilMs: null },
      suspended: [],
      waived: [],
      mergedAs: null,
      kept: [],
      leftOn: null,
      events: 9,
    });
  });

  test.for<[string, Step[], boolean, object]>([
    ["nothing", [], false, { phase: "none", next: "nothing", sessions: [] }],
    [
      "a session at work",
      [opened, executor],
      true,
      { phase: "executing", because: "a test", next: "let the session work", hint: "", runner: "alive" },
    ],
    [
      "a session whose runner died",
      [opened, executor],
      false,
      {
        because: "session 1 was cut off: its runner died",
        next: "end the session that was cut off",
        hint: "monoco relay resume FEAT-0001",
      },
    ], // TRAP 3
    [
      "a review at work",
      [opened, ...submitted, reviewer],
      true,
      { phase: "reviewing", next: "let the session work" },
    ],
    ["a wait", [opened, ...failed], true, { next: "wait", waitingUntilMs: 15_000, hint: "" }],
    [
      "a block",
      [opened, blocked],
      false,
      {
        phase: "blocked",
        because: "stuck",
        next: "nothing",
        hint: "look at it, then monoco relay resume FEAT-0001",
      },
    ],
    [
      "a merge",
      [opened, ...submitted, ...review("approve"), prepared, merged],
      false,
      { phase: "done", mergedAs: expect.any(String), next: "nothing", hint: "" },
    ],
    [
      "a loop that left its work on a branch",
      [openedLoop(), ...submitted, checked("green"), finished],
      false,
      { phase: "done", mergedAs: null, leftOn: { branch: "monoco/FEAT-0001", commit: commit(100) } },
    ],
    [
      "an opening after another, without the sessions of the first",
      [opened, ...submitted, cleared, opened, ...worked],
      false,
      { sessions: [{ session: 2 }], submissions: [], sessionsSpent: 1 },
    ],
  ])("of %s", ([, steps, alive, expected]) => expect(of(steps, alive)).toMatchObject(expected));

  test("an approval that was overruled is told as what it became", () => {
    const overruled = "an approval with a failed check: npm test";
    const event = { ...decided("request_changes")(replay([])), overruled, findings: [] };
    expect(describeEvent(event)?.text).toBe(
      `submission 0: changes requested by the reviewer (overruled: ${overruled})`,
    );
  });
});
