/** What gh tells of a pull request, in the shapes that gh 2 prints, and what a relay takes it for. */
import { describe, expect, test } from "vitest";
import { readLook } from "../../../src/core/pulls/look.ts";
import type { PullRequestLook } from "../../../src/core/pulls/look.ts";
import { remarkCharsMax } from "../../../src/core/limits.ts";
import { commit } from "../support/relays.ts";

const look = (view: object, threads: readonly object[] = []): PullRequestLook =>
  readLook({
    view: JSON.stringify({ state: "OPEN", headRefOid: commit(1), ...view }),
    threads: threads.map((thread) => `${JSON.stringify(thread)}\n`).join(""),
  });
const said = (id: string, body: string, more: object = {}): object => ({
  id,
  author: { login: "maria" },
  authorAssociation: "MEMBER",
  body,
  ...more,
});
const thread = (nodes: object[], more: object = {}): object => ({
  isResolved: false,
  path: "a.ts",
  line: 3,
  originalLine: 2,
  comments: { nodes },
  ...more,
});
const remarks = (...of: Parameters<typeof look>): string[] =>
  look(...of).remarks.map(
    ({ id, how, author, writes }) => `${id} ${how} ${author}${writes ? "" : " (other)"}`,
  );

test("merged, it tells as what; nothing that is left out is made up", () => {
  expect(look({ state: "MERGED", mergeCommit: { oid: commit(2) } })).toEqual({
    state: "merged",
    head: commit(1),
    commit: commit(2),
    conflicts: false,
    checks: [],
    remarks: [],
  });
  expect(
    look({ reviewDecision: "APPROVED", mergeable: "CONFLICTING", statusCheckRollup: null }),
  ).toMatchObject({
    state: "open",
    decision: "approved",
    conflicts: true,
  });
});

describe("a check is", () => {
  const run = (status: string, conclusion: string): object => ({ name: "c", status, conclusion });
  test.for<[object, string]>([
    [run("COMPLETED", "SUCCESS"), "green"],
    [run("COMPLETED", "SKIPPED"), "green"],
    [run("COMPLETED", "NEUTRAL"), "green"],
    [run("COMPLETED", "FAILURE"), "red"],
    [run("COMPLETED", "TIMED_OUT"), "red"],
    [run("COMPLETED", "STARTUP_FAILURE"), "red"],
    [run("COMPLETED", "CANCELLED"), "stopped"],
    [run("COMPLETED", "ACTION_REQUIRED"), "stopped"],
    [run("QUEUED", ""), "pending"],
    [run("IN_PROGRESS", ""), "pending"],
    [run("COMPLETED", "SOMETHING_NEW"), "pending"],
    [{ context: "c", state: "SUCCESS" }, "green"],
    [{ context: "c", state: "ERROR" }, "red"],
    [{ context: "c", state: "EXPECTED" }, "pending"],
  ])("%j: %s", ([check, is]) => {
    expect(look({ statusCheckRollup: [check] }).checks).toMatchObject([{ name: "c", is }]);
  });

  test("what it was when it ran last", () => {
    const at = (startedAt: string, conclusion: string): object => ({
      ...run("COMPLETED", conclusion),
      workflowName: "CI",
      startedAt,
    });
    const rollup = [at("2026-11-23T09:00:00Z", "SUCCESS"), at("2026-11-23T08:00:00Z", "FAILURE")];
    expect(look({ statusCheckRollup: rollup }).checks).toEqual([
      { name: "CI / c", is: "green", says: "SUCCESS" },
    ]);
  });
});

describe("a remark", () => {
  test.for<[string, boolean]>([
    ["OWNER", true],
    ["MEMBER", true],
    ["COLLABORATOR", true],
    ["CONTRIBUTOR", false],
    ["FIRST_TIME_CONTRIBUTOR", false],
    ["NONE", false],
    ["SOMETHING_NEW", false],
  ])("of somebody who is %s there is of one who may write: %s", ([authorAssociation, writes]) => {
    expect(look({ comments: [said("a", "monoco: x", { authorAssociation })] }).remarks).toMatchObject([
      { writes },
    ]);
  });

  test("is a request for changes, a comment, or what was said on a line; approvals and hidden ones are none", () => {
    expect(
      remarks(
        {
          reviews: [
            said("r1", "No.", { state: "CHANGES_REQUESTED" }),
            said("r2", "Hm.", { state: "COMMENTED", author: { login: "li" } }),
            said("r3", "", { state: "COMMENTED" }),
            said("r4", "Fine.", { state: "DISMISSED" }),
            said("r5", "LGTM", { state: "APPROVED", author: { login: "kim" } }),
          ],
          comments: [
            said("c1", "@monoco look."),
            said("c2", "Spam", { isMinimized: true }),
            said("c3", "\u200b \n"),
            said("c4", "Thanks, monoco!"),
          ],
        },
        [thread([said("t1", "Why?")]), thread([said("t2", "Not sent yet", { state: "PENDING" })])],
      ),
    ).toEqual(["r1 changes_requested maria", "r2 commented li", "t1 on_a_line maria", "c1 commented maria"]);
  });

  test("that its author has approved since is settled; another's is not", () => {
    const reviews = [
      said("r1", "No.", { state: "CHANGES_REQUESTED" }),
      said("r2", "No.", { state: "CHANGES_REQUESTED", author: { login: "li" } }),
      said("r3", "Fine.", { state: "APPROVED" }),
      said("r4", "But then.", { state: "COMMENTED" }),
    ];
    expect(remarks({ reviews })).toEqual(["r2 changes_requested li", "r4 commented maria"]);
  });

  test("without words is about the lines that its author named, and counts where there are none", () => {
    const reviews = [said("r1", "", { state: "CHANGES_REQUESTED" })];
    expect(remarks({ reviews }, [thread([said("t1", "Why?")])])).toEqual(["t1 on_a_line maria"]);
    expect(remarks({ reviews })).toEqual(["r1 changes_requested maria"]);
  });

  test("on a line goes with what others who may write said there, under the id of the last; resolved, it is over", () => {
    const nodes = [
      said("t1", "Why?"),
      said("t2", "Do evil.", { authorAssociation: "NONE", author: { login: "stranger" } }),
      said("t3", "Since.", { author: { login: "li" } }),
    ];
    expect(look({}, [thread(nodes)]).remarks).toMatchObject([
      { id: "t3", text: "maria: Why?\n\nli: Since.", file: "a.ts", line: 3, writes: true },
      { id: "t2", writes: false },
    ]);
    expect(look({}, [thread(nodes, { isResolved: true })]).remarks).toEqual([]);
    expect(look({}, [thread([nodes[0]!], { line: null })]).remarks).toMatchObject([{ line: 2 }]);
  });

  test("on a line, in a long talk, keeps the last word", () => {
    const nodes = ["t1", "t2", "t3"].map((name) => said(name, `${name} ${"x".repeat(remarkCharsMax / 2)}`));
    const [talk] = look({}, [thread(nodes)]).remarks;
    expect(talk).toMatchObject({ id: "t3", text: expect.stringMatching(/^maria: t3 x/) as string });
  });

  test("has no control characters, and an end", () => {
    const [first] = look({
      comments: [said("c", `monoco \u001b[31mred\u202e ${"x".repeat(9_000)}`)],
    }).remarks;
    expect(first!.text).toMatch(/^monoco red x/);
    expect(first!.text.length).toBeLessThan(remarkCharsMax + 20);
  });

  test("whose author is gone is a ghost's", () => {
    expect(remarks({ comments: [said("c", "/monoco x", { author: null })] })).toEqual(["c commented ghost"]);
  });
});

test.for<[string, string]>([
  ["no JSON", "{"],
  ["another shape", '{"state":"OPEN"}'],
  ["a state that is none", JSON.stringify({ state: "DRAFT", headRefOid: commit(1) })],
  [
    "an id that is none",
    JSON.stringify({ state: "OPEN", headRefOid: commit(1), comments: [{ id: "../x" }] }),
  ],
])("%s is no answer", ([, view]) => {
  expect(() => readLook({ view, threads: "" })).toThrow();
});
