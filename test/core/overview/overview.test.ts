/** Where a relay stands for a person, by what its journal and the machine say, and the one screen that a whole backlog comes to. */
import { describe, expect, test } from "vitest";
import type { Card } from "../../../src/core/issue/card.ts";
import { emptyState } from "../../../src/core/journal/relay-state.ts";
import { overviewOf } from "../../../src/core/overview/overview.ts";
import type { Overview } from "../../../src/core/overview/overview.ts";
import type { SeenRelay } from "../../../src/core/overview/relay-item.ts";
import type { Current } from "../../../src/core/report/current.ts";
import { reportOf } from "../../../src/core/report/report.ts";
import type { RelayReport, SessionReport } from "../../../src/core/report/report.ts";
import { renderInbox, renderNotDone } from "../../../src/views/inbox.ts";

const empty = reportOf(emptyState(), { runnerAlive: false, nowMs: 0 });
const seen = (issue: string, report: Partial<RelayReport>, more: Partial<SeenRelay> = {}): SeenRelay => ({
  issue,
  report: { ...empty, issue, title: `Title of ${issue}`, because: "why", ...report },
  atMs: 1_000,
  ...more,
});
const session = (reason: string | null): SessionReport => ({
  session: 1,
  role: "executor",
  agent: "a",
  containment: "bubblewrap",
  network: "full",
  reason,
  evidence: [],
  contextTokens: null,
  windowTokens: null,
  costUsd: 0.5,
  durationMs: null,
  commits: null,
  handoff: null,
});
const pull = (decision: "approved" | "review_required"): RelayReport["pullRequest"] => ({
  url: "https://github.com/o/n/pull/7",
  seen: { head: "c", pending: [], red: [], stopped: [], others: [], decision },
});
const current: Current = {
  session: 1,
  role: "executor",
  agent: "a",
  startedAtMs: 0,
  elapsedMs: 0,
  limitMs: 3_600_000,
  processAlive: true,
  stoppedProcess: null,
  lastOutputMsAgo: null,
  contextTokens: 110_000,
  windowTokens: 200_000,
  windowAssumed: false,
  contextMarks: [100_000, 120_000, 140_000],
  doing: "Bash npm test",
};
const card = (id: string, more: Partial<Card> = {}): Card => ({
  id,
  title: `Title of ${id}`,
  status: "open",
  stage: "draft",
  type: "feature",
  dependencies: [],
  tags: [],
  ...more,
});
const kindOf = (relay: SeenRelay): string | undefined =>
  overviewOf({ relays: [relay], issues: [], unread: [], nowMs: 0 }).items[0]?.kind;

describe("a relay is what its journal and the machine say, whatever was written before", () => {
  const judged: Partial<RelayReport> = {
    hint: [[{ do: "judge", verdicts: ["approve"] }]],
    submissions: [{ ...({} as RelayReport["submissions"][0]), decidedBy: "person", verdict: "approve" }],
  };
  test.for<[Partial<RelayReport>, Partial<SeenRelay>, string | undefined]>([
    [{ phase: "executing", sessions: [session(null)], runner: "alive" }, {}, "working"],
    [{ phase: "executing", sessions: [session(null)], runner: "alive" }, { stoppedRunner: 7 }, "frozen"],
    [
      { phase: "executing", sessions: [session(null)], runner: "alive" },
      { stoppedSession: { pid: 7, group: 7 } },
      "frozen",
    ],
    [
      { phase: "executing", sessions: [session(null)], runner: "none" },
      { stoppedSession: { pid: 7, group: 7 } },
      "cut_off",
    ],
    [
      { phase: "executing", question: { session: 1, text: "?" }, runner: "alive" },
      { stoppedRunner: 7 },
      "frozen",
    ],
    [{ phase: "executing", sessions: [session(null)], runner: "none" }, {}, "cut_off"],
    [{ phase: "ready", sessions: [session("timeout")], runner: "none" }, {}, "idle"],
    [{ phase: "ready", waitingUntilMs: 5, runner: "alive" }, {}, "waiting"],
    [{ phase: "ready", waitingUntilMs: 5, runner: "none" }, {}, "idle"],
    [{ phase: "executing", question: { session: 1, text: "?" }, runner: "alive" }, {}, "question"],
    [{ phase: "blocked", rule: "question", question: { session: 1, text: "?" } }, {}, "question"],
    [{ phase: "blocked", rule: "question" }, {}, "idle"],
    [{ phase: "blocked", rule: "human_gate" }, {}, "approval"],
    [{ phase: "blocked", rule: "human_gate", ...judged }, {}, "idle"],
    [{ phase: "blocked", rule: "evidence_unclear" }, {}, "approval"],
    [{ phase: "blocked", rule: "budget" }, {}, "stuck"],
    [{ phase: "paused" }, {}, "paused"],
    [{ phase: "done", mergedAs: "abc" }, {}, "merged"],
    [{ phase: "done", mergedAs: "abc" }, { reopened: true }, undefined],
    [{ phase: "done", rule: "left", leftOn: { branch: "b", commit: "c", pullRequest: null } }, {}, "left"],
    [{ phase: "pull_request", rule: "pull_request" }, {}, "pull_request"],
    [{ phase: "pull_request", pullRequest: pull("approved") }, {}, "pull_request"],
    [{ phase: "pull_request", pullRequest: pull("review_required") }, {}, "pull_review"],
    [{ phase: "done", rule: "taken_over" }, {}, "taken_over"],
    [{ phase: "none" }, {}, undefined],
  ])("%j %j: %s", ([report, more, kind]) => {
    expect(kindOf(seen("FEAT-0001", report, more))).toBe(kind);
  });
});

test("an issue without a relay is what keeps it from being begun", () => {
  const issues = [
    card("FEAT-0001"),
    card("FEAT-0002", { dependencies: ["FEAT-0001"] }),
    card("FEAT-0003", { dependencies: ["FEAT-0004"] }),
    card("FEAT-0004", { dependencies: ["FEAT-0003"] }),
    card("FEAT-0005", { dependencies: ["FEAT-0099"] }),
    card("FEAT-0006", { dependencies: ["FEAT-0007"] }),
    card("FEAT-0007", { status: "closed", solution: "wontfix" }),
    card("FEAT-0008", { stage: "freezed" }),
    card("EPIC-0001", { type: "epic" }),
  ];
  const { items } = overviewOf({ relays: [], issues, unread: [], nowMs: 0 });
  expect(Object.fromEntries(items.map(({ id, kind }) => [id, kind]))).toEqual({
    "FEAT-0001": "ready",
    "FEAT-0002": "held",
    "FEAT-0003": "misled",
    "FEAT-0004": "misled",
    "FEAT-0005": "misled",
    "FEAT-0006": "misled",
    "FEAT-0007": "closed",
    "FEAT-0008": "put_off",
    "EPIC-0001": "put_off",
  });
});

const numbered = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `FEAT-${String(from + index).padStart(4, "0")}`);

test("a weekend with forty issues fits one screen, and every one of them is counted", () => {
  const sessions = [session("submitted"), session("decided")];
  const relays = [
    ...numbered(1, 14).map((id) => seen(id, { phase: "done", mergedAs: "abc", sessions })),
    ...numbered(15, 12).map((id) => seen(id, { phase: "blocked", rule: "human_gate", sessions })),
    ...numbered(27, 2).map((id) =>
      seen(id, {
        phase: "blocked",
        rule: "question",
        question: { session: 1, text: "Which port?" },
        sessions,
      }),
    ),
    ...numbered(29, 4).map((id) =>
      seen(id, {
        phase: "blocked",
        rule: "sessions_max",
        because: "spent 30 sessions (sessionsMax 30)",
        sessions,
      }),
    ),
  ];
  const issues = [
    ...relays.map(({ issue }) => card(issue)),
    ...numbered(33, 8).map((id) => card(id, { dependencies: ["FEAT-0029"] })),
  ];
  const overview = overviewOf({ relays, issues, unread: [], nowMs: 7_200_000, lastLookMs: 500 });
  expect(Object.values(overview.counts).reduce((sum, count) => sum + count)).toBe(40);
  const screen = renderInbox(overview, new Map(), { width: 80, all: false });
  const lines = screen.trimEnd().split("\n");
  expect(lines.length).toBeLessThan(24);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(screen).toMatchInlineSnapshot(`
    "needs you   2 ask · 12 wait for your approval · 4 stuck
    working     none
    done        14 merged (14 since your last look 2 h ago)
    not begun   8 wait for others
    spent       $32.00 in 64 sessions

    FEAT-0027  Title of FEAT-0027 · asks: Which port?
               monoco answer FEAT-0027 "…"
    FEAT-0028  Title of FEAT-0028 · asks: Which port?
               monoco answer FEAT-0028 "…"
    12         wait for your approval: FEAT-0015 FEAT-0016 FEAT-0017 FEAT-0018 FEAT…
               monoco issue review --next
    FEAT-0029  Title of FEAT-0029 · spent 30 sessions (sessionsMax 30)
               monoco run FEAT-0029
    FEAT-0030  Title of FEAT-0030 · spent 30 sessions (sessionsMax 30)
               monoco run FEAT-0030
    FEAT-0031  Title of FEAT-0031 · spent 30 sessions (sessionsMax 30)
               monoco run FEAT-0031
    FEAT-0032  Title of FEAT-0032 · spent 30 sessions (sessionsMax 30)
               monoco run FEAT-0032
    "
  `);
});

test("a reason names what fails first, and is wrapped where the screen has room for all, else cut to a line", () => {
  const check = "npm test (median is wrong: expected 2.5, got 3, in three of four rows)";
  const because = `${check}: no progress in 3 sessions in a row (stalledMax 3)`;
  const overview = (count: number): Overview =>
    overviewOf({
      relays: numbered(1, count).map((id) => seen(id, { phase: "blocked", rule: "breaker_open", because })),
      issues: [],
      unread: [],
      nowMs: 0,
    });
  const stuck = (count: number): string => renderInbox(overview(count), new Map(), { width: 80, all: false });
  expect(stuck(1).split("\n").slice(6)).toEqual([
    "FEAT-0001  Title of FEAT-0001 · npm test (median is wrong: expected 2.5, got 3,",
    "           in three of four rows): no progress in 3 sessions in a row",
    "           (stalledMax 3)",
    "           monoco run FEAT-0001",
    "",
  ]);
  expect(stuck(6).split("\n").slice(6, 8)).toEqual([
    "FEAT-0001  Title of FEAT-0001 · npm test (median is wrong: expected 2.5, got 3,…",
    "           monoco run FEAT-0001",
  ]);
  // What a run leaves is no screen that has to fit.
  expect(renderNotDone(overview(6), new Map(), 80).split("\n").slice(0, 4)).toEqual(
    stuck(1).split("\n").slice(6, 10),
  );
});

test("what runs is named with its agent and its minutes, and a pull request with its link", () => {
  const relays = [
    seen(
      "FEAT-0001",
      { phase: "executing", sessions: [session(null)], runner: "alive" },
      { running: { ...current, agent: "claude", elapsedMs: 754_000 } },
    ),
    seen("FEAT-0002", { phase: "merging", because: "the merge is prepared", runner: "alive" }),
    seen("FEAT-0003", { phase: "pull_request", pullRequest: pull("approved") }),
    seen("FEAT-0004", { phase: "pull_request", pullRequest: pull("review_required") }),
  ];
  const shown = (of: readonly SeenRelay[]): string =>
    renderInbox(overviewOf({ relays: of, issues: [], unread: [], nowMs: 0 }), new Map(), {
      width: 80,
      all: false,
    });
  expect(shown(relays)).toMatchInlineSnapshot(`
    "needs you   1 wait for a review of their pull request
    working     2 work · 1 wait for their pull request
    done        none
    not begun   none
    spent       $0.50 in 1 session

    FEAT-0004  Title of FEAT-0004 · waits for a review there
               https://github.com/o/n/pull/7
    FEAT-0001  Title of FEAT-0001 · claude, 13 min
    FEAT-0002  Title of FEAT-0002 · the merge is prepared
    FEAT-0003  Title of FEAT-0003 · approved there, and not merged yet
               https://github.com/o/n/pull/7
    "
  `);
  expect(shown(relays.slice(0, 1))).toMatchInlineSnapshot(`
    "needs you   none
    working     1 work
    done        none
    not begun   none
    spent       $0.50 in 1 session

    nothing needs you
    FEAT-0001  Title of FEAT-0001 · claude, 13 min
    "
  `);
});
