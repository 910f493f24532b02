import { describe, expect, test } from "vitest";
import type { EventBody } from "../../../src/core/journal/event.ts";
import type { RelayState } from "../../../src/core/journal/relay-state.ts";
import { isApproved, phaseOf } from "../../../src/core/relay/phase.ts";
import type { Phase } from "../../../src/core/relay/phase.ts";
import { replay } from "../../../src/core/journal/state.ts";
import { stalledInARow, uncharged } from "../../../src/core/journal/counts.ts";
import {
  blocked,
  cancelled,
  checked,
  cleared,
  conflicted,
  decided,
  ended,
  executor,
} from "../support/relays.ts";
import {
  failed,
  handoff,
  hash,
  journal,
  merged,
  opened,
  openedWith,
  paused,
  prepared,
} from "../support/relays.ts";
import {
  rejected,
  requested,
  refused,
  resumed,
  review,
  reviewer,
  session,
  settingsWith,
} from "../support/relays.ts";
import { stalled, submitted, worked } from "../support/relays.ts";
import type { Step } from "../support/relays.ts";

const after = (...steps: readonly Step[]): RelayState => replay(journal(steps));
const say =
  (body: EventBody): Step =>
  () =>
    body;

test("an empty journal is a relay that was never opened", () => {
  expect(replay([])).toMatchObject({ seq: 0, atMs: 0, sessions: [], submissions: [] });
  expect(replay([]).opening).toBeUndefined();
});

test("two replays share nothing", () => {
  replay(journal([opened, ...submitted]));
  expect(replay([])).toMatchObject({ sessions: [], submissions: [] });
});

describe("the phase", () => {
  test.for<[Phase, Step[]]>([
    ["none", []],
    ["ready", [opened]],
    ["executing", [opened, executor]],
    ["handing_over", [opened, executor, ended("context_limit")]],
    ["ready", [opened, ...worked]],
    ["submitted", [opened, executor, ended("submitted")]],
    ["handing_over", [opened, executor, ended("submitted"), refused]],
    ["submitted", [opened, executor, ended("submitted"), requested()]],
    ["reviewing", [opened, ...submitted]],
    ["reviewing", [opened, ...submitted, reviewer]],
    ["handing_over", [opened, ...submitted, ...review("request_changes")]],
    ["ready", [opened, ...submitted, ...review("request_changes"), handoff]],
    ["approved", [opened, ...submitted, ...review("approve")]],
    [
      "handing_over",
      [opened, executor, ended("submitted"), requested(), checked("red"), ...review("approve")],
    ],
    ["merging", [opened, ...submitted, ...review("approve"), prepared]],
    ["handing_over", [opened, ...submitted, ...review("approve"), prepared, conflicted]],
    ["ready", [opened, ...submitted, ...review("approve"), rejected, handoff]],
    ["done", [opened, ...submitted, ...review("approve"), prepared, merged]],
    ["blocked", [opened, blocked]],
    ["paused", [opened, paused]],
    ["cancelled", [opened, cancelled]],
    ["ready", [opened, paused, resumed]],
    ["none", [opened, ...worked, cleared]],
    ["ready", [opened, ...submitted, ...review("approve"), cleared, opened]],
  ])("is %s", ([phase, steps]) => expect(phaseOf(after(...steps))).toBe(phase));
});

describe("a session's record", () => {
  test("holds what was said of it, the last figures winning", () => {
    const state = after(
      opened,
      executor,
      say({ type: "session.identified", session: 1, agentSessionId: "abc" }),
      say({
        type: "usage.measured",
        session: 1,
        contextTokens: 60_000,
        windowTokens: 200_000,
        costUsd: 1,
        mark: "plan",
      }),
      say({ type: "extension.granted", session: 1, minutes: 5, because: "tests are slow" }),
      say({ type: "extension.granted", session: 1, minutes: 10, because: "still" }),
      ended("context_limit", { contextTokens: 170_000, costUsd: 2 }),
      handoff,
    );
    expect(state.sessions).toMatchObject([
      {
        session: 1,
        role: "executor",
        agent: "claude",
        fence: 2,
        agentSessionId: "abc",
        contextTokens: 170_000,
        windowTokens: 200_000,
        costUsd: 2,
        extendedMinutes: 15,
        ended: { reason: "context_limit" },
        handoff: { session: 1 },
      },
    ]);
    expect(state.opening?.handoff?.session).toBe(1);
  });

  test.for<[EventBody]>([
    [{ type: "session.identified", session: 9, agentSessionId: "x" }],
    [{ type: "contract.tampered", submission: 9, fields: [] }],
  ])("of a number that never was is a journal that cannot be: $type", ([body]) =>
    expect(() => after(opened, say(body))).toThrow(/never/),
  );
});

describe("a submission's record", () => {
  const ci = { path: ".github/ci.yml", kind: "ci" as const };

  test("holds its checks, what it tampers with, its verdict and what became of it", () => {
    const state = after(
      opened,
      executor,
      ended("submitted"),
      requested(),
      say({ type: "contract.tampered", submission: 1, fields: ["checks"] }),
      say({ type: "submission.inspected", submission: 1, protected: [ci], weakened: [] }),
      checked("green"),
      ...review("approve"),
      (so) => ({ ...checked("red")(so), target: "merge" }),
      rejected,
    );
    expect(state.submissions).toMatchObject([
      {
        submission: 1,
        by: "executor",
        session: 1,
        tampered: ["checks"],
        inspection: { protected: [ci], weakened: [] },
        checks: { ok: true },
        mergeChecks: { ok: false },
        review: { verdict: "approve" },
        outcome: "rejected",
      },
    ]);
    expect(state.sessions[0]?.submissionSettled).toBe(true);
  });

  test.for<[string, boolean, Step[]]>([
    ["green and approved", true, [...submitted, decided("approve")]],
    ["green and by a person", true, [...submitted, decided("approve", "person")]],
    ["green, but with changes requested", false, [...submitted, decided("request_changes")]],
    [
      "approved over red checks",
      false,
      [executor, ended("submitted"), requested(), checked("red"), decided("approve")],
    ], // TRAP 25
    ["not checked at all", false, [executor, ended("submitted"), requested(), decided("approve")]],
    ["not decided", false, submitted],
  ])("is approved or not: %s", ([, approved, steps]) =>
    expect(isApproved(after(opened, ...steps).submissions[0]!)).toBe(approved),
  );
});

describe("what the next Executor has to be told stays until there is a new submission", () => {
  test("a refusal survives a session that died of something else", () => {
    const state = after(opened, executor, ended("submitted"), refused, handoff, ...session("usage_limit"));
    expect(state.opening?.refusal?.why).toBe("uncommitted changes: a.ts");
    expect(
      after(opened, executor, ended("submitted"), refused, handoff, ...submitted).opening?.refusal,
    ).toBeUndefined();
  });

  test("so does what stands in the merge's way", () => {
    const conflict = [opened, ...submitted, ...review("approve"), conflicted, handoff];
    expect(after(...conflict, ...failed).opening?.mergeTrouble).toMatchObject({
      type: "merge.conflicted",
      paths: ["a.ts"],
    });
    expect(after(...conflict, ...submitted).opening?.mergeTrouble).toBeUndefined();
  });
});

describe("cleared and opened again", () => {
  const steps = [
    opened,
    ...submitted,
    ...review("request_changes"),
    handoff,
    ...failed,
    say({ type: "question.asked", session: 2, text: "Why?" }),
    say({ type: "note.said", by: "person", text: "mind the tests" }),
    blocked,
    cleared,
    openedWith({ sessionsMax: 7 }),
  ];
  const state = after(...steps);

  test("numbers go on", () => {
    const next = after(...steps, ...submitted);
    expect(next.sessions.map((record) => record.session)).toEqual([1, 2, 3, 4]);
    expect(next.submissions.map((record) => record.submission)).toEqual([1, 2]);
  });

  test("nothing of the old handoff, refusal, merge, wait, block or limits remains", () => {
    const keys = ["handoff", "question", "refusal", "mergeTrouble", "merge", "merged", "halted"] as const;
    for (const key of keys) expect(state.opening?.[key]).toBeUndefined();
    expect(state.opening).toMatchObject({
      sinceResume: { sessions: [], submissions: [], mergeRepairs: 0, wait: { untilMs: 0 } },
      sessions: [],
      submissions: [],
      said: [],
      cleared: false,
    });
    expect(state.opening?.settings.limits.sessionsMax).toBe(7);
    expect(stalledInARow(state.opening!)).toBe(0);
  });

  test("messages that were taken stay taken", () => {
    const events = journal([opened, paused, cleared, opened]);
    const numbered = events.map((event) => ({ ...event, messageId: `message-${event.seq}` }));
    expect(replay(numbered).messageIds).toEqual(
      new Set(["message-1", "message-2", "message-3", "message-4"]),
    );
  });
});

test("a person's resume brings the settings that the person has now", () => {
  const settings = settingsWith({ sessionsMax: 99 });
  const state = after(
    opened,
    blocked,
    say({ type: "relay.resumed", by: "person", settings, settingsSha256: hash(9) }),
  );
  expect(state.opening).toMatchObject({ settings, settingsSha256: hash(9) });
  expect(state.opening?.halted).toBeUndefined();
});

test("stalls are counted from the end, past Reviewers and what no session is charged with", () => {
  const state = after(
    opened,
    ...stalled,
    ...worked,
    ...stalled,
    ...session("user_interrupt", { progress: false }),
    ...stalled,
  );
  expect(stalledInARow(state.opening!)).toBe(2);
});

test.for([
  ["usage_limit", true],
  ["user_interrupt", true],
  ["needs_login", true],
  ["failure", false],
  ["timeout", false],
  ["submitted", false],
  ["no_verdict", false],
] as const)("a session that ended by %s is uncharged: %s", ([reason, free]) =>
  expect(uncharged(after(opened, executor, ended(reason)).sessions[0]!)).toBe(free),
);
