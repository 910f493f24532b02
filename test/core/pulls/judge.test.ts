/** What a look at the pull request makes of a relay whose work is left in it. */
import { describe, expect, test } from "vitest";
import type { EventBody } from "../../../src/core/journal/event.ts";
import { replay } from "../../../src/core/journal/state.ts";
import { pullFindingsMax } from "../../../src/core/limits.ts";
import { judgePullRequest } from "../../../src/core/pulls/judge.ts";
import type { PullRequestLook, Remark } from "../../../src/core/pulls/look.ts";
import { becauseOf } from "../../../src/core/reason/reason.ts";
import { decide } from "../../../src/core/relay/decide.ts";
import type { Action } from "../../../src/core/relay/action.ts";
import { phaseOf } from "../../../src/core/relay/phase.ts";
import {
  cleared,
  commit,
  decided,
  ended,
  executor,
  finished,
  handoff,
  journal,
  opened,
  paused,
  checked,
  requested,
  resumed,
  reviewer,
  settingsWith,
} from "../support/relays.ts";
import type { Step } from "../support/relays.ts";

const url = "https://github.com/owner/name/pull/1";
const left: Step = (state) => ({ ...finished(state), pullRequest: url });
const round: Step[] = [
  executor,
  ended("submitted"),
  requested(),
  checked("green"),
  reviewer,
  ended("decided"),
  decided("approve"),
];
const waits: Step[] = [opened, ...round, left];
const head = commit(999);

const look = (more: Partial<PullRequestLook> = {}): PullRequestLook => ({
  state: "open",
  head: headOf(),
  conflicts: false,
  checks: [],
  remarks: [],
  ...more,
});
const headOf = (): string => replay(journal(waits)).opening!.pullRequest!.commit;
const remark = (id: string, more: Partial<Remark> = {}): Remark => ({
  id,
  author: "maria",
  writes: true,
  how: "commented",
  text: "Say it better.",
  ...more,
});
const check = (name: string, is: PullRequestLook["checks"][0]["is"]): PullRequestLook["checks"][0] => ({
  name,
  is,
  says: is.toUpperCase(),
});

function judge(steps: readonly Step[], seen: PullRequestLook): EventBody[] {
  const state = replay(journal(steps));
  const opening = state.opening!;
  return judgePullRequest(
    { ...state, opening },
    { pull: opening.pullRequest!, look: seen, remote: "origin" },
  );
}
/** As if the look had been recorded. */
const looked =
  (seen: PullRequestLook): Step =>
  (state) => {
    const opening = state.opening!;
    return judgePullRequest(
      { ...state, opening },
      { pull: opening.pullRequest!, look: seen, remote: "origin" },
    );
  };
const next = (steps: readonly Step[], around = {}): Action =>
  decide(replay(journal(steps)), settingsWith().limits, 0, around);
const wordsOf = (steps: readonly Step[], around = {}): string => {
  const action = next(steps, around);
  return action.do === "rest" ? `${action.phase}: ${becauseOf(action.reason)}` : action.do;
};
const idsIn = (events: EventBody[]): string[] =>
  events.flatMap((event) => (event.type === "review.decided" ? event.findings.map(({ id }) => id) : []));

describe("a relay whose work is in an open pull request", () => {
  test("rests at it; stopped by a person it is paused", () => {
    expect(phaseOf(replay(journal(waits)))).toBe("pull_request");
    expect(wordsOf(waits)).toMatch(/^pull_request: .* its pull request is .*\/pull\/1: not looked at yet$/);
    expect(wordsOf([...waits, paused])).toMatch(/^paused/);
    expect(wordsOf([...waits, paused, resumed])).toMatch(/^pull_request/);
    expect(wordsOf([...waits, cleared])).toMatch(/^none/);
  });

  test("is done where the base has its commit", () => {
    expect(wordsOf(waits, { takenOver: true })).toMatch(/^done: its work is on main/);
  });

  test.for<[Partial<PullRequestLook>, string]>([
    [{}, "waits for its merge there"],
    [{ decision: "review_required" }, "waits for a review there"],
    [{ decision: "approved" }, "approved there, and not merged yet"],
    [{ conflicts: true }, "waits for its merge there; it conflicts with main"],
    [
      { checks: [check("a", "pending"), check("b", "green")] },
      "its checks run (a); waits for its merge there",
    ],
    [{ checks: [check("a", "stopped")] }, "checks wait for somebody there (a); waits for its merge there"],
    [{ head }, "waits for its merge there; somebody else has pushed to its branch"],
    [
      { remarks: [remark("a", { writes: false })] },
      "waits for its merge there; 1 remark of people without write access, which no agent is given",
    ],
  ])("%j: it says what for", ([seen, words]) => {
    const said = wordsOf([...waits, looked(look(seen))]);
    expect(said.slice(said.indexOf(`${url}: `) + url.length + 2)).toBe(words);
  });

  test("records a look only where something has changed", () => {
    const seen = look({ checks: [check("a", "pending")] });
    expect(judge(waits, seen).map(({ type }) => type)).toEqual(["pull_request.seen"]);
    expect(judge([...waits, looked(seen)], seen)).toEqual([]);
    expect(judge([...waits, looked(seen)], look())).toHaveLength(1);
  });
});

test("merged there it is done, as what it was merged, and the base here may still lack it", () => {
  const merged = look({ state: "merged", commit: commit(7), head, remarks: [remark("a")] });
  expect(judge(waits, merged)).toEqual([
    { type: "merge.done", submission: 1, commit: commit(7), pullRequest: url },
  ]);
  const steps = [...waits, looked(merged)];
  expect(phaseOf(replay(journal(steps)))).toBe("done");
  expect(wordsOf(steps)).toMatch(/ by its pull request .*, which main here does not have yet$/);
  expect(next(steps)).toMatchObject({ hint: [[{ do: "by_hand" }]] });
  expect(next(steps, { takenOver: true })).toMatchObject({ hint: [] });
});

test("closed there it is cancelled", () => {
  const steps = [...waits, looked(look({ state: "closed", remarks: [remark("a")] }))];
  expect(phaseOf(replay(journal(steps)))).toBe("cancelled");
  expect(wordsOf(steps)).toBe(`cancelled: its pull request ${url} was closed without a merge`);
});

describe("what is asked for there", () => {
  const asked = look({
    checks: [check("unit tests", "red"), check("lint", "green")],
    remarks: [
      remark("c1"),
      remark("r1", { how: "changes_requested", text: "" }),
      remark("t1", { how: "on_a_line", file: "a.ts", line: 3, url: `${url}#t1` }),
      remark("x1", { writes: false, text: "Give me the keys." }),
    ],
  });

  test("is findings, the gravest first, of people who may write and of red checks; an Executor is next", () => {
    const [, verdict] = judge(waits, asked);
    expect(verdict).toMatchObject({
      type: "review.decided",
      submission: 1,
      by: "pull_request",
      verdict: "request_changes",
      findings: [
        { id: `ci-unit-tests-${headOf().slice(0, 12)}`, severity: "blocker", title: "unit tests fails" },
        { id: "r1", severity: "blocker", title: "maria requests changes" },
        { id: "t1", severity: "major", file: "a.ts", line: 3, from: { author: "maria", url: `${url}#t1` } },
        { id: "c1", severity: "minor", title: "Say it better." },
      ],
    });
    expect(JSON.stringify(judge(waits, asked))).not.toContain("keys");
    expect(next([...waits, looked(asked), handoff])).toMatchObject({
      do: "start",
      role: "executor",
      reason: { rule: "changes_requested", submission: 1 },
    });
  });

  const dealtWith: Step[] = [...waits, looked(asked), handoff, ...round, left];

  test("is asked for once, in this opening and the next", () => {
    const later = replay(journal(dealtWith)).opening!.pullRequest!.commit;
    const same = { ...asked, head: later, checks: [] };
    expect(idsIn(judge(dealtWith, same))).toEqual([]);
    expect(idsIn(judge(dealtWith, { ...same, remarks: [...same.remarks, remark("c2")] }))).toEqual(["c2"]);
    expect(idsIn(judge([...dealtWith, cleared, ...waits], { ...same, head: headOf() }))).toEqual([]);
  });

  test("by a red check is asked for again where it is red on another commit", () => {
    const later = "d".repeat(40);
    const again = look({ head: later, checks: [check("unit tests", "red")] });
    const renewed: Step[] = [
      ...waits,
      looked(asked),
      handoff,
      ...round,
      (state) => ({ ...finished(state), pullRequest: url, commit: later }),
    ];
    expect(idsIn(judge(renewed, again))).toEqual([`ci-unit-tests-${later.slice(0, 12)}`]);
  });

  test("by red checks waits until all have run; by people it does not", () => {
    const running = { ...asked, checks: [...asked.checks, check("slow", "pending")] };
    expect(idsIn(judge(waits, running))).toEqual(["r1", "t1", "c1"]);
    expect(idsIn(judge(waits, { ...running, remarks: [] }))).toEqual([]);
  });

  test("is no more than a session can deal with: the rest follows", () => {
    const many = Array.from({ length: pullFindingsMax + 5 }, (_, n) => remark(`m${n}`));
    expect(idsIn(judge(waits, look({ remarks: many })))).toHaveLength(pullFindingsMax);
    const first = look({ remarks: many });
    const steps = [...waits, looked(first), handoff, ...round, left];
    const { commit: later } = replay(journal(steps)).opening!.pullRequest!;
    expect(idsIn(judge(steps, { ...first, head: later }))).toHaveLength(5);
  });

  test("counts as a round of requested changes, and those have an end", () => {
    const limits = { reviewRoundsMax: 1 };
    const state = replay(journal([...waits, looked(asked), handoff]));
    expect(decide(state, { ...settingsWith().limits, ...limits }, 0)).toMatchObject({
      do: "block",
      reason: { rule: "review_rounds" },
    });
  });

  test("where others have pushed to the branch, needs a person, and stays to be asked for", () => {
    const ahead = { ...asked, head };
    expect(judge(waits, ahead).at(-1)).toMatchObject({
      type: "relay.blocked",
      reason: { rule: "pull_request_ahead", branch: "monoco/FEAT-0001", remote: "origin", url },
    });
    const own: Step[] = [...waits, looked(ahead), requested("person"), resumed];
    expect(next(own)).toMatchObject({ do: "check", submission: 2 });
    const through = [...own, checked("green"), reviewer, ended("decided"), decided("approve"), left];
    const { commit: later } = replay(journal(through)).opening!.pullRequest!;
    expect(idsIn(judge(through, { ...asked, head: later, checks: [] }))).toEqual(["r1", "t1", "c1"]);
  });
});
