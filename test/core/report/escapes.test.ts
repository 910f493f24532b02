/** What counts as an escape of a merge, and what is said of many merges. */
import { describe, expect, test } from "vitest";
import {
  escapesOf,
  intervalOf,
  mergesIn,
  rateOf,
  rateWords,
  recordOf,
} from "../../../src/core/report/escapes.ts";
import type { Escape, Later, Merge } from "../../../src/core/report/escapes.ts";
import type { Step } from "../support/relays.ts";
import {
  commit,
  decided,
  ended,
  executor,
  journal,
  merged,
  opened,
  prepared,
  pulled,
  reviewer,
  submitted,
} from "../support/relays.ts";

const day = 24 * 3_600_000;
const landed: Step[] = [
  opened,
  ...submitted,
  reviewer,
  ended("decided"),
  decided("approve"),
  prepared,
  merged,
];
const [merge, submission] = [commit(300), commit(100)];

const escapesIn = (later: Partial<Later>, ...more: Step[]): Escape[] =>
  mergesIn(journal([...landed, ...more]), { commits: [], fixes: [], ...later })[0]!.escapes;
const said = (message: string, atMs = day, name = commit(900)) => ({
  commit: name,
  base: "main",
  atMs,
  message,
});

describe("a commit on the base", () => {
  test.for<[string, string, Escape["how"] | undefined]>([
    ["git's revert of a squash", `Revert "x"\n\nThis reverts commit ${merge}.`, "reverted"],
    [
      "and of a merge",
      `Revert "x"\n\nThis reverts commit ${merge}, reversing\nchanges made to y.`,
      "reverted",
    ],
    ["of the submitted commit", `This reverts commit ${submission}.`, "reverted"],
    ["of another commit", `This reverts commit ${commit(7)}.`, undefined],
    ["a revert in other words", `Reverts FEAT-0001, ${merge}`, undefined],
    ["a Fixes trailer", `Round up\n\nFixes: ${merge.slice(0, 12)} ("Log in")`, "repaired"],
    ["one of another commit", `Round up\n\nFixes: ${"d".repeat(12)} ("Log in")`, undefined],
    ["a fix that names the issue", "fix(login): no blanks\n\nRefs: FEAT-0001", "repaired"],
    ["a fix that names it in its subject", "fix!: FEAT-0001 let blanks in", "repaired"],
    ["a fix that names a longer id", "fix: FEAT-00012", undefined],
    ["a fix of nothing by name", "fix: no blanks", undefined],
    ["what is no fix", "feat: more of FEAT-0001", undefined],
    ["a keyword that closes an issue", "Add it\n\nFixes FEAT-0001", undefined],
  ])("%s", ([, message, how]) =>
    expect(escapesIn({ commits: [said(message)] }).map((one) => one.how)).toEqual(how ? [how] : []),
  );

  test("after 14 days says nothing of the merge, nor does one before it", () => {
    const revert = `This reverts commit ${merge}.`;
    expect(escapesIn({ commits: [said(revert, 14 * day)] })).toHaveLength(1);
    expect(escapesIn({ commits: [said(revert, 14 * day + 1), said(revert, 0)] })).toEqual([]);
  });

  test("that reverts and was itself reverted does not count, unless that was reverted, too", () => {
    const revert = said(`This reverts commit ${merge}.`);
    const again = said(`This reverts commit ${commit(900)}.`, day, commit(901));
    const atLast = said(`This reverts commit ${commit(901)}.`, 20 * day, commit(902));
    expect(escapesIn({ commits: [again, revert] })).toEqual([]);
    expect(escapesIn({ commits: [atLast, again, revert] })).toMatchObject([{ by: commit(900) }]);
  });

  test("of another branch does not count, nor one that reverts the commit where a session without commits ended", () => {
    const revert = said(`This reverts commit ${merge}.`);
    expect(escapesIn({ commits: [{ ...revert, base: "release" }] })).toEqual([]);
    const idle: Step[] = [opened, executor, ended("handed_over", { head: commit(7), commits: 0 })];
    const events = journal([...idle, ...landed.slice(1)]);
    const later = { commits: [said(`This reverts commit ${commit(7)}.`)], fixes: [] };
    expect(mergesIn(events, later)[0]!.escapes).toEqual([]);
  });
});

test("an issue that asks for a repair counts if it names the issue as related", () => {
  const fix = { id: "FIX-0002", createdAtMs: day, related: ["FEAT-0001"] };
  expect(escapesIn({ fixes: [fix] })).toEqual([{ how: "repaired", by: "FIX-0002", atMs: day }]);
  expect(
    escapesIn({
      fixes: [
        { ...fix, related: ["FEAT-0003"] },
        { ...fix, createdAtMs: 15 * day },
      ],
    }),
  ).toEqual([]);
});

test("a reopening counts within 14 days, a person's mark whenever it is set, each for the merge before it", () => {
  const mark: Step = () => ({ type: "merge.escaped", by: "person", text: "Blanks pass" });
  expect(escapesIn({}, 13 * day, opened).map(({ how }) => how)).toEqual(["reopened"]);
  expect(escapesIn({}, 15 * day, opened)).toEqual([]);
  expect(escapesIn({}, 90 * day, mark)).toEqual([{ how: "marked", by: "Blanks pass", atMs: 90 * day }]);
  expect(escapesIn({}, 15 * day, ...landed, mark)).toEqual([]);
});

test("of a pulled journal nothing counts: no merge, no mark, and a run of the issue here is no reopening", () => {
  const mark: Step = () => ({ type: "merge.escaped", by: "person", text: "Blanks pass" });
  const of = (...more: Step[]): Merge[] =>
    mergesIn(journal([...landed, mark, pulled, ...more]), { commits: [], fixes: [] });
  expect(of(opened)).toEqual([]);
  expect(of(...landed)).toMatchObject([{ escapes: [] }]);
});

const mergeBy = (agent: string, isEscaped: boolean, more: Partial<Merge> = {}): Merge => ({
  issue: "FEAT-0001",
  submission: 1,
  commit: merge,
  atMs: 1,
  evidence: ["differs"],
  gate: "reviewer",
  reviewers: [{ agent }],
  escapes: isEscaped ? [{ how: "marked", by: "x", atMs: 2 }] : [],
  ...more,
});
const many = (agent: string, count: number, escaped: number): Merge[] =>
  Array.from({ length: count }, (_, at) => mergeBy(agent, at < escaped));

test("fewer than ten merges have no share; ten have one with its interval", () => {
  expect(rateOf(many("a", 9, 3))).toEqual({ merges: 9, escaped: 3, share: null, between: null });
  expect(rateWords(rateOf(many("a", 9, 3)))).toBe("3 of 9 merges escaped (fewer than 10 merges: no share)");
  expect(rateWords(rateOf(many("a", 40, 2)))).toBe("2 of 40 merges escaped (5 %, 95 % interval 1–17 %)");
  const [low, high] = intervalOf(0, 10);
  expect([low, Math.round(high * 1000)]).toEqual([0, 278]);
});

test("they are counted by kind of evidence, by Reviewer and by who approved", () => {
  const merges = [
    ...many("claude", 12, 3),
    mergeBy("codex", false, { reviewers: [{ agent: "codex", model: "m" }], evidence: ["guard", "differs"] }),
    mergeBy("x", true, { reviewers: [], evidence: [], gate: "person" }),
  ];
  const found = escapesOf(merges);
  const counts = (group: keyof typeof found.by) =>
    found.by[group].map(({ name, merges: all, escaped }) => `${name} ${escaped}/${all}`);
  expect(counts("evidence")).toEqual(["differs 3/13", "guard 0/1", "none 1/1"]);
  expect(counts("reviewer")).toEqual(["claude 3/12", "codex (m) 0/1", "none 1/1"]);
  expect(counts("gate")).toEqual(["person 1/1", "reviewer 3/13"]);
  expect(found.escaped).toHaveLength(4);
  expect(escapesOf(merges, 2).all.merges).toBe(0);
  expect(recordOf({ agent: "claude" }, merges)).toMatchObject({
    name: "claude",
    rate: { merges: 12, escaped: 3 },
  });
});

test("a merge knows who approved it, and by what", () => {
  const found = mergesIn(journal(landed), { commits: [], fixes: [] });
  expect(found).toMatchObject([
    { issue: "FEAT-0001", commit: merge, reviewers: [{ agent: "claude" }], gate: "reviewer" },
  ]);
});
