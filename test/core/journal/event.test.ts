import { describe, expect, test } from "vitest";
import { eventSchema } from "../../../src/core/journal/event.ts";
import { findingSchema, verdictSchema } from "../../../src/core/review/verdict-schema.ts";
import { knownEventTypes } from "../../../src/core/journal/events/records.ts";
import type { EventBody, RelayEvent } from "../../../src/core/journal/event.ts";
import {
  blocked,
  cancelled,
  checked,
  cleared,
  commit,
  conflicted,
  decided,
  ended,
  executor,
  finished,
} from "../support/relays.ts";
import {
  finding,
  handoff,
  hash,
  journal,
  limitHit,
  merged,
  opened,
  paused,
  prepared,
  questioned,
  refused,
} from "../support/relays.ts";
import { given, rejected, requested, resumed, verdictRefused } from "../support/relays.ts";
import type { Step } from "../support/relays.ts";

const say =
  (body: EventBody): Step =>
  () =>
    body;
const everything: Step[] = [
  opened,
  executor,
  say({ type: "session.identified", session: 1, agentSessionId: "abc", model: "opus" }),
  say({ type: "usage.measured", session: 1, contextTokens: 1, mark: "plan" }),
  say({ type: "extension.granted", session: 1, minutes: 5, because: "slow" }),
  ended("submitted", { wip: commit(9), resetsAtMs: 5, signal: "SIGTERM", exitCode: null }),
  handoff,
  say({ type: "question.asked", session: 1, text: "Which port?" }),
  say({ type: "question.answered", session: 1, by: "person", text: "8080", told: 1 }),
  say({ type: "note.said", by: "person", text: "mind the tests" }),
  say({
    type: "person.handed_over",
    branch: "work/FEAT-0001",
    head: commit(1),
    commits: 2,
    wip: commit(2),
    leftOut: ["a (a repository of its own)"],
    text: "# RALPH.md\n",
    sha256: hash(1),
    lint: [],
    handedOverAtMs: 5,
  }),
  say({
    type: "signal.scored",
    session: 1,
    signals: [
      {
        name: "test_only",
        present: true,
        weight: 0.2,
        reason: { rule: "changed_tests_only", streak: 3, of: 3 },
      },
    ],
    total: 0.2,
    threshold: 0.6,
    promise: false,
    exitSignal: null,
    indicators: 0,
    done: false,
    testOnly: true,
    finished: false,
    reason: { rule: "exit_vote", total: 0.2, threshold: 0.6 },
  }),
  requested(),
  say({
    type: "baseline.ran",
    commit: "c".repeat(40),
    tree: "d".repeat(40),
    results: [{ command: "npm test", exitCode: 1, timedOut: false, durationMs: 9, log: "l", failing: ["a"] }],
  }),
  say({ type: "contract.tampered", submission: 1, fields: ["objective"] }),
  say({
    type: "submission.inspected",
    submission: 1,
    protected: [{ path: "db/1.sql", kind: "yours", by: "*.sql" }],
    weakened: [{ file: "a.test.ts", line: 3, kind: "only", text: "it.only()" }],
    more: { protected: 0, weakened: 2 },
  }),
  checked("red"),
  say({
    type: "submission.tried",
    submission: 1,
    trial: {
      onBase: { result: "fail", files: ["a.test.ts"], by: "npm test" },
      crossing: { result: "nothing", found: [] },
      takeBack: {
        result: "tried",
        changes: [{ file: "a.ts", line: 1, lines: 2, result: "reached" }],
        left: 0,
      },
      flaky: ["npm test"],
      unguarded: true,
      ms: 9,
    },
  }),
  given("approve"),
  verdictRefused,
  decided("request_changes"),
  refused,
  say({
    type: "breaker.changed",
    to: "open",
    reason: { rule: "no_progress", sessions: 3, max: 3 },
    untilMs: 9,
    coolDownMs: 9,
  }),
  limitHit(5),
  say({
    type: "agent.suspended",
    account: "claude",
    untilMs: 9,
    reason: { rule: "usage_limit", agent: "claude" },
    by: "FEAT-0002",
  }),
  say({ type: "rate.limited", untilMs: 9, reason: { rule: "sessions_per_hour", used: 3, max: 3 } }),
  questioned,
  prepared,
  conflicted,
  rejected,
  merged,
  say({ type: "merge.escaped", by: "person", text: "blanks pass" }),
  finished,
  say({
    type: "pull_request.seen",
    submission: 1,
    url: "https://github.com/owner/name/pull/1",
    head: commit(9),
    pending: ["test"],
    red: [],
    stopped: [],
    decision: "review_required",
    conflicts: true,
    others: [{ author: "stranger" }],
  }),
  paused,
  resumed,
  blocked,
  cancelled,
  cleared,
  say({ type: "relay.pulled", remote: "origin" }),
  say({ type: "letter.refused", letter: "answer", via: { who: "Ana", by: "ref" }, why: "nothing is asked" }),
  say({
    type: "network.refused",
    session: 1,
    refused: [{ host: "example.com", port: 443, why: "unlisted", times: 2 }],
  }),
  say({ type: "server.failed", session: 1, server: "notes", error: "connection closed" }),
];
const events = journal(everything);
const [first] = events;

test("every type of event is read back as it was written", () => {
  const read = events.map((event) => eventSchema.parse(JSON.parse(JSON.stringify(event))));
  expect(read).toEqual(events);
  expect(new Set(events.map((event) => event.type))).toEqual(knownEventTypes);
});

describe("an event is refused", () => {
  const good: RelayEvent = events[1]!;
  test.for<[string, object]>([
    ["of an unknown type", { ...good, type: "session.exploded" }],
    ["of another version", { ...good, v: 2 }],
    ["without its place", { ...good, seq: 0 }],
    ["with half a hash of the one before", { ...good, prev: "abc" }],
    ["at no time", { ...good, atMs: -1 }],
    ["with a commit that is a path", { ...good, head: "../../x" }],
    ["with a session that is none", { ...good, session: 0 }],
    ["with a role that is none", { ...good, role: "judge" }],
    ["with a stop reason that is none", { ...events[5], reason: "done" }],
    ["with a key that is missing", { ...good, agent: undefined }],
  ])("%s", ([, event]) => expect(eventSchema.safeParse(event).success).toBe(false));
});

test("the first event has no event before it", () => {
  expect(first).toMatchObject({ seq: 1, prev: "" });
  expect(eventSchema.safeParse({ ...first, prev: hash(0) }).success).toBe(true);
});

test.for<[string, unknown[], boolean]>([
  ["values", [{ rule: "stopped", by: { rule: "no_output", minutes: 10 } }], true],
  ["what a program said", ["status 429"], true],
  ["a rule that nobody knows", [{ rule: "tired" }], false],
])("the evidence of an ending may be %s: %s", ([, evidence, good]) => {
  const ended = events.find(({ type }) => type === "session.ended");
  expect(eventSchema.safeParse({ ...ended, evidence }).success).toBe(good);
});

// TRAP 25
test.for<[string, unknown, boolean]>([
  ["an approval without findings", { verdict: "approve" }, true],
  ["changes with findings", { verdict: "request_changes", findings: [finding], summary: "no" }, true],
  ["no verdict", { findings: [] }, false],
  ["another word", { verdict: "lgtm" }, false],
  ["findings in words", { verdict: "approve", findings: ["fine"] }, false],
  ["prose", "approve", false],
])("a verdict may be %s: %s", ([, value, good]) => expect(verdictSchema.safeParse(value).success).toBe(good));

test.for<[string, object]>([
  ["without evidence", { ...finding, evidence: undefined }],
  ["of a severity of its own", { ...finding, severity: "apocalyptic" }],
  ["without a title", { ...finding, title: "" }],
  ["at line 0", { ...finding, line: 0 }],
])("a finding %s is none", ([, value]) => expect(findingSchema.safeParse(value).success).toBe(false));
