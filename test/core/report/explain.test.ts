/** Why a relay did what it did, from its journal: the rule, the numbers, and the settings that would change it. */
import { describe, expect, test } from "vitest";
import { explain } from "../../../src/core/report/explain.ts";
import type { Decision } from "../../../src/core/report/explain.ts";
import type { EventBody } from "../../../src/core/journal/event.ts";
import { explanationLines } from "../../../src/views/explanation.ts";
import {
  blocked,
  ended,
  executor,
  failed,
  handoff,
  journal,
  limitHit,
  openedWith,
} from "../support/relays.ts";
import { checked, decided as decidedBy, finished, openedLoop } from "../support/relays.ts";
import { paused, resumed, review, session, stalled, started, submitted, worked } from "../support/relays.ts";
import type { Step } from "../support/relays.ts";
import { decide } from "../../../src/core/relay/decide.ts";
import { decisionEvent } from "../../../src/core/relay/decision-event.ts";
import { drive } from "../support/driven.ts";
import { evolve, replay } from "../../../src/core/journal/state.ts";
import { append } from "../support/relays.ts";

const minute = 60_000;
const opened = openedWith({ backoffSeconds: 15, sessionsMax: 4 });

/** What the policy itself records where it has come to: a block, or a change of the breaker. */
const decided: Step = (state) => {
  const action = decide(state, state.opening!.settings.limits, state.atMs);
  if (action.do !== "block" && action.do !== "change_breaker") throw new Error(`it decides ${action.do}`);
  return decisionEvent(action);
};

/** The session that the policy starts, for its own reason. */
const next: Step = (state) => {
  const action = decide(state, state.opening!.settings.limits, state.atMs);
  if (action.do !== "start") throw new Error(`it decides ${action.do}`);
  return { ...started("executor")(state), reason: action.reason };
};

const scored =
  (finished: boolean): Step =>
  (state) => ({
    type: "signal.scored",
    session: state.sessions.length,
    signals: [
      {
        name: "tasks_complete",
        present: true,
        weight: 0.4,
        reason: { rule: "boxes_resolved", resolved: 3, total: 3 },
      },
      {
        name: "consecutive_done",
        present: finished,
        weight: 0.25,
        reason: { rule: "said_done", streak: 1, of: 2 },
      },
      {
        name: "test_only",
        present: false,
        weight: 0.2,
        reason: { rule: "changed_tests_only", streak: 0, of: 3 },
      },
      { name: "strong_indicators", present: false, weight: 0.15, reason: { rule: "strong_none" } },
    ],
    total: finished ? 0.65 : 0.4,
    threshold: 0.6,
    promise: false,
    exitSignal: null,
    indicators: 1,
    done: true,
    testOnly: false,
    finished,
    reason: { rule: "exit_vote", total: finished ? 0.65 : 0.4, threshold: 0.6 },
  });
const onItsBehalf: Step = (state): EventBody => ({
  type: "submission.requested",
  submission: 1,
  head: "c".repeat(40),
  tree: "d".repeat(40),
  by: "monoco",
  session: state.sessions.length,
});

/** The last decision but what would come next. */
function last(steps: readonly Step[], decision: RegExp): Decision {
  const found = explain(journal(steps), 0).findLast((one) => decision.test(one.decision));
  if (!found) throw new Error("nothing was decided so");
  return found;
}

type Row = [string, Step[], RegExp, { rule: string; because?: RegExp; settings: string[] }];

describe("each decision is told with its rule and the settings that would change it", () => {
  test.for<Row>([
    [
      "new relay",
      [opened, next],
      /^start session 1/,
      { rule: "new_relay", settings: ["roles.executor.agents"] },
    ],
    [
      "the next session",
      [opened, ...worked, next],
      /^start session 2/,
      { rule: "handed_over", settings: ["roles.executor.agents"] },
    ],
    [
      "a session that ran into its context mark",
      [opened, executor, ended("context_limit", { contextTokens: 90, windowTokens: 100 })],
      /^session 1 ended: context limit/,
      { rule: "context_limit", settings: ["limits.contextMarks"] },
    ],
    [
      "one that ran out of time",
      [opened, executor, ended("timeout")],
      /^session 1 ended/,
      { rule: "timeout", settings: ["limits.sessionMinutes"] },
    ],
    [
      "one that was silent",
      [opened, executor, ended("silent")],
      /^session 1 ended/,
      { rule: "silent", settings: ["limits.silenceMinutes"] },
    ],
    [
      "one that was locked on",
      [
        opened,
        executor,
        ended("failure", {
          evidence: [{ rule: "wrapped_up", by: { rule: "same_failure", command: "x", times: 4 } }],
        }),
      ],
      /^session 1 ended/,
      { rule: "failure", settings: ["limits.sameFailureMax"] },
    ],
    [
      "the back-off after a failure",
      [opened, ...failed],
      /^wait until/,
      { rule: "back_off", settings: ["limits.backoffSeconds"] },
    ],
    [
      "a usage limit",
      [opened, executor, ended("usage_limit", { resetsAtMs: 5 * minute }), limitHit(5 * minute), handoff],
      /^wait until/,
      { rule: "usage_limit", settings: ["limits.usageLimitMinutes", "roles.executor.agents"] },
    ],
    [
      "the breaker that opens",
      [opened, ...stalled, ...stalled, ...stalled, decided],
      /^pause/,
      {
        rule: "no_progress",
        because: /3 sessions in a row \(stalledMax 3\)/,
        settings: ["breaker.coolDownMinutes", "limits.stalledMax", "breaker.reopen"],
      },
    ],
    [
      "and keeps the relay waiting",
      [opened, ...stalled, ...stalled, ...stalled, decided],
      /^wait until/,
      { rule: "breaker_open", settings: ["breaker.coolDownMinutes", "breaker.reopen", "limits.stalledMax"] },
    ],
    [
      "the sessions that are spent",
      [opened, ...worked, ...worked, ...worked, ...worked, decided],
      /^ask a person/,
      { rule: "sessions_max", because: /spent 4 sessions/, settings: ["limits.sessionsMax"] },
    ],
    [
      "work that looks finished",
      [opened, executor, ended("completed_without_submit"), scored(true)],
      /looks finished/,
      { rule: "exit_vote", settings: ["exit.threshold", "exit.doneSessions", "exit.testSessions"] },
    ],
    [
      "and is put up on the agent's behalf",
      [opened, executor, ended("completed_without_submit"), scored(true), handoff, onItsBehalf],
      /^put up submission 1/,
      { rule: "looks_finished", settings: ["exit.submit", "exit.threshold"] },
    ],
    [
      "requested changes",
      [opened, ...submitted, ...review("request_changes")],
      /^send it back/,
      { rule: "verdict", settings: ["limits.reviewRoundsMax"] },
    ],
    [
      "a loop that is sent back by its checks",
      [openedLoop(), ...submitted, checked("red"), decidedBy("request_changes", "monoco")],
      /^send it back/,
      { rule: "verdict", because: /the checks failed on submission 1/, settings: ["limits.redRoundsMax"] },
    ],
    [
      "a loop that is done",
      [openedLoop(), ...submitted, finished],
      /^end the loop/,
      { rule: "finished", settings: [] },
    ],
    ["a person's pause", [opened, paused], /^pause/, { rule: "person", settings: [] }],
    ["a person's word to go on", [opened, paused, resumed], /^go on/, { rule: "person", settings: [] }],
    [
      "a set-up that failed",
      [opened, blocked],
      /^ask a person/,
      { rule: "setup_failed", settings: ["setup", "limits.setupMinutes"] },
    ],
  ])("%s", ([, steps, decision, { rule, because = /./, settings }]) => {
    const found = last(steps, decision);
    expect(found).toMatchObject({ rule, because: expect.stringMatching(because) });
    expect(found.settings.map(({ key }) => key)).toEqual(settings);
  });
});

test("a decision says who made it", () => {
  const decisions = explain(
    journal([opened, ...submitted, checked("green"), decidedBy("approve", "person"), paused, resumed]),
    0,
  );
  const found = (about: RegExp): string | undefined =>
    decisions.find(({ decision }) => about.test(decision))?.by;
  expect([/^open/, /^take the approval/, /^pause/, /^go on/].map(found)).toEqual([
    "monoco",
    "person",
    "monoco",
    "person",
  ]);
});

test("a decision carries the numbers that led to it, each beside its threshold", () => {
  const { numbers } = last([opened, ...stalled, ...worked, ...stalled, executor], /^start session 4/);
  expect(numbers).toContainEqual({
    what: "sessions spent",
    value: 3,
    threshold: 4,
    setting: "limits.sessionsMax",
  });
  expect(numbers).toContainEqual({
    what: "sessions in a row without progress",
    value: 1,
    threshold: 3,
    setting: "limits.stalledMax",
  });
});

test("a session that a usage limit ended is not among those spent", () => {
  const limited: Step[] = [executor, ended("usage_limit", { resetsAtMs: 1 }), limitHit(1), handoff];
  const { numbers } = last([opened, ...worked, ...limited, executor], /^start session 3/);
  expect(numbers[0]).toMatchObject({ what: "sessions spent", value: 1 });
});

test("a usage limit that names no time says that its time is a guess, and by which setting", () => {
  const guessed: Step = (state) => ({ ...limitHit(3_600_000)(state), resetGuessed: true });
  const limited = ended("usage_limit", { resetsAtMs: 3_600_000, resetGuessed: true });
  const { because, settings } = last([opened, executor, limited, guessed], /^pause claude until /);
  expect(because).toBe("usage limit of claude: You've hit your limit; no time is named: this one is a guess");
  expect(settings[0]).toMatchObject({ key: "limits.usageLimitMinutes", value: 60 });
  const named = last([opened, executor, limited, limitHit(3_600_000)], /^pause claude until /);
  expect(named.because).toBe("usage limit of claude: You've hit your limit");
});

test("a setting is told with its value then, and where that came from", () => {
  const steps: Step[] = [
    () => ({ ...opened(), origins: { "limits.sessionsMax": "monoco.yaml:12" } }),
    ...worked,
    ...worked,
    ...worked,
    ...worked,
    decided,
    () => ({
      type: "relay.resumed",
      by: "person",
      settings: openedWith({ sessionsMax: 1 })().settings,
      settingsSha256: "0".repeat(64),
      origins: { "limits.sessionsMax": "--set" },
      changes: ["limits.sessionsMax 1 (was 4; --set)"],
    }),
    ...worked,
    decided,
  ];
  const blocks = explain(journal(steps), 0).filter(({ decision }) => decision === "ask a person");
  expect(blocks.map(({ settings }) => settings)).toEqual([
    [{ key: "limits.sessionsMax", value: 4, origin: "monoco.yaml:12" }],
    [{ key: "limits.sessionsMax", value: 1, origin: "--set" }],
  ]);
});

test("what is still to come is told last, and nothing while a session is at work", () => {
  expect(explain(journal([opened, ...worked]), 0).at(-1)).toMatchObject({
    decision: "next: start",
    because: "session 1 handed over",
  });
  expect(explain(journal([opened, executor]), 0).at(-1)!.decision).toMatch(/^start session 1/);
});

test("in words: what, why, numbers, settings", () => {
  const found = last([opened, ...stalled, ...stalled, ...stalled, decided], /^pause/);
  expect(explanationLines(found)).toEqual([
    "  11  1970-01-01 00:00:00  pause",
    "      because  no progress in 3 sessions in a row (stalledMax 3)",
    "      number   sessions spent: 3 of 4 (limits.sessionsMax)",
    "      number   sessions in a row without progress: 3 of 3 (limits.stalledMax)",
    "      number   pause, minutes: 30",
    "      setting  breaker.coolDownMinutes: 30 (default)",
    "      setting  limits.stalledMax: 3 (default)",
    "      setting  breaker.reopen: cooldown (default)",
  ]);
});

test("the pause is shown where it begins and while it lasts, with the sessions that failed after one", () => {
  const nowhere = [ended("handed_over", { progress: false })];
  const { events, nowMs } = drive(
    [openedWith({ sessionsMax: 9 })],
    Array.from({ length: 5 }, () => nowhere),
  );
  const inForce = explain(events, nowMs).flatMap(({ decision, numbers }) => {
    const values = numbers
      .filter(({ what }) => what.startsWith("pause") || what.endsWith("after a pause"))
      .map(({ what, value, threshold }) => `${what}: ${value}${threshold ? ` of ${threshold}` : ""}`);
    return values.length > 0 ? [`${decision.split(" ").slice(0, 2).join(" ")}: ${values.join("; ")}`] : [];
  });
  expect(inForce).toEqual([
    "pause: pause, minutes: 30",
    "wait until: pause, minutes: 30",
    "let one: pause, minutes: 30",
    "pause: pause, minutes: 60; sessions in a row that failed after a pause: 1 of 3",
    "wait until: pause, minutes: 60; sessions in a row that failed after a pause: 1 of 3",
    "let one: pause, minutes: 60; sessions in a row that failed after a pause: 1 of 3",
    "pause: pause, minutes: 120; sessions in a row that failed after a pause: 2 of 3",
    "wait until: pause, minutes: 120; sessions in a row that failed after a pause: 2 of 3",
  ]);
});

test("explaining changes nothing: the state after is that of a plain replay", () => {
  const events = journal([opened, ...worked, ...failed]);
  const before = JSON.stringify(events);
  explain(events, 0);
  expect(JSON.stringify(events)).toBe(before);
  const state = replay(events);
  evolve(state, append(events, blocked(), 1));
  expect(state.opening?.halted).toBeDefined();
});

test("a session's own decisions count to it: from its start to the next one's", () => {
  const decisions = explain(journal([opened, ...worked, ...session("timeout"), executor]), 0);
  expect(decisions.filter((one) => one.session === 2).map(({ decision }) => decision)).toEqual([
    "start session 2 (executor by claude)",
    "session 2 ended: timeout",
  ]);
});

test("a question that blocks names the setting, whatever its words; so does a budget's mark", () => {
  const asking: Step[] = [
    executor,
    (state) => ({
      type: "question.asked",
      session: state.sessions.length,
      text: "the breaker is open: shall I? spent 3 sessions (limits.sessionsMax 3)",
    }),
    ended("question", { progress: false }),
    handoff,
  ];
  const asked = explain(journal([openedWith({ questionsMax: 1 }), ...asking, decided]), 0);
  expect(asked.at(-1)).toMatchObject({
    rule: "question",
    settings: expect.arrayContaining([
      { key: "limits.questionsMax", value: 1, origin: "default" },
    ]) as Decision["settings"],
  });
  const mark: Step = () => ({
    type: "usage.measured",
    session: 1,
    contextTokens: 1,
    mark: "wrap_up",
    reason: { rule: "budget_mark", unit: "costUsd", used: 1.7, max: 2 },
  });
  const marked = explain(
    journal([openedWith({}, { budgets: { session: { costUsd: 2 } } }), executor, mark]),
    0,
  );
  expect(marked.find(({ rule }) => rule === "budget_mark")).toMatchObject({
    decision: "tell session 1 its mark wrap up",
    because: "$1.70 of its budget of $2.00 used",
    settings: [{ key: "budgets.session.costUsd", value: 2, origin: "default" }],
  });
});
