/** A relay in time: its sessions, each with its stop reason, and the waits between them, each with why. */
import { expect, test } from "vitest";
import { detailIn } from "../../../src/core/report/detail.ts";
import type { Detail } from "../../../src/core/report/detail.ts";
import { replay } from "../../../src/core/journal/state.ts";
import { blocked, ended, executor, journal, limitHit, opened, paused, resumed } from "../support/relays.ts";
import { failed, review, submitted, worked } from "../support/relays.ts";
import type { Step } from "../support/relays.ts";

const minute = 60_000;

const issue = "---\nid: FEAT-0001\ntitle: Log in\nstatus: open\nstage: draft\n---\n\n## Objective\n\nIt.\n";

const detail = (...steps: Step[]): Detail | undefined => detailOf(steps, true);

function detailOf(steps: readonly Step[], runnerAlive: boolean): Detail | undefined {
  const events = journal(steps).map((event) =>
    event.type === "relay.opened" ? { ...event, contract: { ...event.contract, text: issue } } : event,
  );
  const now = { runnerAlive, nowMs: 100 * minute };
  return detailIn(events, { state: replay(events), now, handoff: null });
}

/** The spans as a person would read them, times in minutes. */
const spans = (...steps: Step[]): string[] =>
  (detail(...steps)?.spans ?? []).map((span) => {
    if (span.is === "wait") return `${span.fromMs / minute}-${span.toMs / minute} wait: ${span.because}`;
    const to = span.endedAtMs === null ? "" : span.endedAtMs / minute;
    return `${span.startedAtMs / minute}-${to} ${span.session} ${span.role}: ${span.reason ?? "runs"}`;
  });

test.for<[string, Step[], string[]]>([
  ["nothing has begun", [opened], []],
  ["a session runs", [opened, minute, executor], ["1- 1 executor: runs"]],
  [
    "sessions that follow each other",
    [opened, executor, minute, ended("handed_over"), 4_999, executor, minute, ended("context_limit")],
    ["0-1 1 executor: handed_over", "1.0833166666666667-2.0833166666666667 2 executor: context_limit"],
  ],
  [
    "a person stopped it, and went on an hour later",
    [opened, executor, minute, ended("user_interrupt"), paused, 60 * minute, resumed, executor],
    ["0-1 1 executor: user_interrupt", "1-61 wait: a person asked it to stop", "61- 2 executor: runs"],
  ],
  [
    "it was blocked",
    [opened, ...worked, minute, blocked, minute, resumed, executor],
    ["0-0 1 executor: handed_over", "0-2 wait: setup failed: make (exit status 2)", "2- 2 executor: runs"],
  ],
  [
    "its account was at its limit: nothing but the next session gives a reason",
    [opened, executor, limitHit(30 * minute), ended("usage_limit"), 30 * minute, executor],
    ["0-0 1 executor: usage_limit", "0-30 wait: new relay", "30- 2 executor: runs"],
  ],
  [
    "a review",
    [opened, ...submitted, minute, ...review("approve")],
    ["0-0 1 executor: submitted", "0-1 wait: new relay", "1-1 2 reviewer: decided"],
  ],
  [
    "a relay that was opened again shows only its new sessions",
    [opened, ...failed, opened, minute, executor],
    ["1- 2 executor: runs"],
  ],
])("%s", ([, steps, expected]) => {
  expect(spans(...steps)).toEqual(expected);
});

test("a session whose runner died was cut off, and no clock counts it on", () => {
  const { spans: shown = [] } = detailOf([opened, minute, executor], false) ?? {};
  expect(shown).toMatchObject([{ session: 1, reason: "cut_off", startedAtMs: minute, endedAtMs: minute }]);
});

test("the detail has the last submission, and is undefined before the first opening", () => {
  expect(detail()).toBeUndefined();
  expect(detail(opened)).toMatchObject({ submission: null, handoff: null, spans: [] });
  expect(detail(opened, ...submitted, ...review("request_changes"), ...submitted)).toMatchObject({
    submission: { submission: 2 },
    account: { issue: "FEAT-0001", spent: { sessions: 3 } },
  });
});
