/** Which runs put a submission's tests to the test, and what comes of how they end. */
import { describe, expect, test } from "vitest";
import { minutesFor } from "../../../src/core/trial/due.ts";
import type { Due, Ended } from "../../../src/core/trial/due.ts";
import { centralFirst } from "../../../src/core/trial/changes.ts";
import type { PlannedSource } from "../../../src/core/trial/changes.ts";
import type { Aid } from "../../../src/core/trial/try-out.ts";
import { overlaysOf } from "../../../src/core/trial/overlays.ts";
import type { RoledFile } from "../../../src/core/trial/overlays.ts";
import {
  again,
  crossing,
  guardedByEvidence,
  reached,
  takingBack,
  testsOnBase,
} from "../../../src/core/trial/try-out.ts";
import type { TrialInput } from "../../../src/core/trial/try-out.ts";
import { reviewSchema } from "../../../src/core/settings/review-schema.ts";
import { drive } from "../support/plans.ts";

const blob = (hash: string) => ({ mode: "100644", hash });
const changed = (path: string, role: RoledFile["role"]): RoledFile => ({
  path,
  role,
  before: blob("1"),
  after: blob("2"),
});
const added = (path: string, role: RoledFile["role"]): RoledFile => ({ path, role, after: blob("2") });
const source = (
  path: string,
  before: string,
  after: string,
  hunks: PlannedSource["hunks"],
): PlannedSource => ({
  path,
  mode: "100644",
  before,
  after,
  hunks,
  namedBy: 1,
});
const price = source("price.js", "oldName(1);\n", "newName(2);\n", [
  { before: { line: 1, count: 1 }, after: { line: 1, count: 1 } },
]);

function input(files: RoledFile[], more: Partial<TrialInput> = {}): TrialInput {
  return {
    checks: ["npm test"],
    selects: new Map(),
    files,
    overlays: overlaysOf(files),
    redBefore: [],
    aids: [],
    plan: { sources: new Map([["price.js", price]]), changes: centralFirst([price]) },
    review: reviewSchema.parse({}),
    ...more,
  };
}
const green: Ended = { exitCode: 0 };
const red: Ended = { exitCode: 1 };
const where =
  (pattern: RegExp, then: Ended, otherwise: Ended = green) =>
  (due: Due): Ended =>
    pattern.test(`${due.why} ${due.on.side} ${due.on.edits.map(({ path }) => path).join(" ")}`)
      ? then
      : otherwise;

const work = [changed("price.js", "source"), added("price.test.js", "test")];

describe("new tests over the base", () => {
  test.for<[string, TrialInput, (due: Due) => Ended, object, string[]]>([
    [
      "fail, as they should",
      input(work),
      where(/new_tests/, red),
      { result: "fail", by: "npm test" },
      ["new_tests npm test on base+price.test.js", "on_base npm test on base"],
    ],
    [
      "pass: they show nothing of the change",
      input(work),
      () => green,
      { result: "pass" },
      ["new_tests npm test on base+price.test.js"],
    ],
    [
      "are unclear where the base is as red",
      input(work),
      () => red,
      { result: "unclear" },
      ["new_tests npm test on base+price.test.js", "on_base npm test on base"],
    ],
    ["are none", input([changed("price.js", "source")]), () => green, { result: "none" }, []],
    [
      "have nothing to show where no source is changed",
      input([added("price.test.js", "test")]),
      () => green,
      { result: "nothing" },
      [],
    ],
    [
      "cannot run where the base cannot be set up",
      input(work),
      () => "no_setup",
      { result: "no_setup" },
      ["new_tests npm test on base+price.test.js"],
    ],
    [
      "come with the configuration that runs them",
      input([...work, changed("check.sh", "config")]),
      (due) => (due.on.edits.length === 2 ? red : green),
      { result: "fail" },
      [
        "new_tests npm test on base+price.test.js",
        "new_tests npm test on base+price.test.js,check.sh",
        "on_base npm test on base+check.sh",
      ],
    ],
  ])("%s", ([, of, ends, result, runs]) => {
    const driven = drive(testsOnBase(of), ends);
    expect(driven.answer).toMatchObject(result);
    expect(driven.runs).toEqual(runs);
  });
});

describe("the base's tests, crossed with the submission,", () => {
  const tests = [changed("price.js", "source"), changed("price.test.js", "test")];
  test.for<[string, (due: Due) => Ended, object]>([
    ["are green", () => green, { result: "tried", found: [] }],
    [
      "are broken by the work",
      where(/crossed/, red),
      { found: [{ result: "weakened", files: ["price.test.js"] }] },
    ],
    [
      "cannot load a name that is gone",
      where(/crossed/, { exitCode: 1, output: "TypeError: price.oldName is not a function" }),
      { found: [{ result: "interface" }] },
    ],
    [
      "cannot load a name that was never there",
      where(/crossed/, { exitCode: 1, output: "TypeError: price.other is not a function" }),
      { found: [{ result: "weakened" }] },
    ],
    [
      "have run, and miss what a program said of a gone name",
      where(/crossed/, {
        exitCode: 1,
        output: "AssertionError: 0 !== 2\nunknown option: oldName is not defined",
      }),
      { found: [{ result: "weakened" }] },
    ],
    [
      "meet a program that knows an option no longer",
      where(/crossed/, { exitCode: 1, output: "unknown option --oldName" }),
      { found: [{ result: "weakened" }] },
    ],
    ["are red on the base as well: no doing of the work", () => red, { found: [] }],
    ["are flaky", where(/crossed/, { exitCode: 0, flaky: true }), { found: [{ result: "flaky" }] }],
    ["were not run in time", () => "time", { result: "time" }],
  ])("%s", ([, ends, result]) => expect(drive(crossing(input(tests)), ends).answer).toMatchObject(result));

  test("are run alone where a check says how, unless what runs them is changed, too", () => {
    const selects = new Map([["npm test", "node --test {files}"]]);
    const withNew = [...tests, added("tax.test.js", "test")];
    expect(drive(crossing(input(withNew, { selects })), () => green).runs).toEqual([
      "selected node --test price.test.js on submission",
      "crossed node --test price.test.js on submission+price.test.js,-tax.test.js",
    ]);
    const withConfig = input([...tests, changed("check.sh", "config")], { selects });
    expect(drive(crossing(withConfig), () => green).runs[0]).toMatch(/^crossed npm test/);
  });

  test("are only run where a test of the base is changed", () =>
    expect(drive(crossing(input(work)), () => green)).toEqual({
      answer: { result: "nothing", found: [] },
      runs: [],
    }));
});

describe("a change that is taken back", () => {
  test.for<[string, Ended, string]>([
    ["is guarded where a check turns red", red, "guarded"],
    ["is unguarded where none does", green, "unguarded"],
  ])("%s", ([, ended, result]) =>
    expect(drive(takingBack(input(work)), () => ended).answer).toMatchObject({
      result: "tried",
      changes: [{ file: "price.js", line: 1, result }],
    }),
  );

  test("meets the submission's own tests first, where a check says how, and the whole check only if they miss it", () => {
    const of = input(work, { selects: new Map([["npm test", "node --test {files}"]]) });
    const own = "node --test price.test.js on submission";
    const guarded = drive(takingBack(of), where(/without/, red));
    expect(guarded.runs).toEqual([`selected ${own}`, `without ${own}+price.js`]);
    expect(guarded.answer).toMatchObject({ changes: [{ result: "guarded", by: "npm test" }] });
    expect(drive(takingBack(of), () => green).runs.at(-1)).toBe("without npm test on submission+price.js");
  });

  test.for<[string, Ended]>([
    ["is red", red],
    ["runs no test", { exitCode: 0, nothing: true }],
  ])("is not tried by a selection that %s on the submission itself", ([, selection]) => {
    const of = input(work, { selects: new Map([["npm test", "node --test {files}"]]) });
    expect(drive(takingBack(of), where(/selected/, selection)).runs.slice(1)).toEqual([
      "without npm test on submission+price.js",
    ]);
  });

  test("was not seen where time is over: its lines count as unguarded", () =>
    expect(drive(takingBack(input(work)), () => "time").answer).toMatchObject({
      result: "time",
      changes: [],
      left: 1,
    }));

  test("is the last one where one guard is all that has to be known", () => {
    const two = source("tax.js", "a;\n", "b;\n", price.hunks);
    const of = input(work, {
      plan: {
        sources: new Map([
          ["price.js", price],
          ["tax.js", two],
        ]),
        changes: centralFirst([price, two]),
      },
    });
    expect(drive(takingBack(of), () => red).runs).toHaveLength(2);
    expect(drive(takingBack(of, "guarded"), () => red).runs).toHaveLength(1);
  });

  test("comes from a changed file before any new one", () => {
    const fresh = source("new.js", "", "a();\nb();\n", [
      { before: { line: 0, count: 0 }, after: { line: 1, count: 2 } },
    ]);
    expect(centralFirst([{ ...fresh, namedBy: 9 }, price]).map(({ file }) => file)).toEqual([
      "price.js",
      "new.js",
    ]);
  });

  test("is guarded by evidence, too", () => {
    const of = {
      takeBack: drive(takingBack(input(work)), () => green).answer,
      commands: [{ command: "node try.js", exitCode: 0 }],
      added: [],
    };
    expect(drive(guardedByEvidence(input(work), of), () => red).answer).toMatchObject([
      { result: "guarded", by: "node try.js" },
    ]);
  });

  test("is reached where a check turns red once its lines are empty, as of a refactoring", () => {
    const unguarded = drive(takingBack(input(work)), () => green).answer.changes;
    expect(drive(reached(input(work), unguarded), () => red).answer).toMatchObject([
      { result: "reached", by: "npm test" },
    ]);
    expect(drive(reached(input(work), unguarded), () => green).answer).toEqual([]);
  });
});

test("checks run twice where a test file is changed, and by a setting", () => {
  expect(drive(again(input(work)), () => red).answer).toEqual(["npm test"]);
  const none = [changed("price.js", "source")];
  expect(drive(again(input(none)), () => red).runs).toEqual([]);
  expect(
    drive(again(input(none, { review: reviewSchema.parse({ checkTwice: true }) })), () => green).runs,
  ).toHaveLength(1);
});

test("checks that were red on the same sources are flaky where they are green there now", () => {
  const edits = [{ path: "NOTES.md", to: undefined }];
  const redBefore = [{ command: "npm test", edits }];
  const none = [changed("price.js", "source")];
  const before = drive(again(input(none, { redBefore })), () => green);
  expect(before).toMatchObject({ answer: ["npm test"], runs: [expect.stringContaining("again")] });
  expect(drive(again(input(none, { redBefore })), () => red).answer).toEqual([]);
  const same = [{ command: "npm test", edits: [] }];
  expect(drive(again(input(none, { redBefore: same })), () => red)).toEqual({
    answer: ["npm test"],
    runs: [],
  });
});

test("what only checks use is crossed with the base's, each for itself", () => {
  const aid = (path: string): Aid => ({ edits: [{ path, to: undefined }] });
  const none = [changed("price.js", "source")];
  const found = (first: Aid): unknown =>
    drive(
      crossing(input(none, { aids: [first, aid("same.js"), aid("more.js")] })),
      where(/same\.js|run\.js/, red),
    ).answer;
  expect(found(aid("report.js"))).toMatchObject({
    result: "tried",
    found: [{ crossed: "base_tests", files: ["same.js"] }],
  });
  expect(found({ ...aid("run.js"), unsure: true })).toMatchObject({
    found: [{ result: "uncertain", files: ["run.js"] }],
  });
});

test.for<[string, Partial<Due>, number]>([
  ["as it was submitted has the check's own time", { on: { side: "submission", edits: [] } }, 30],
  ["that nobody wrote has five times what it took on the submission", {}, 5],
  ["that nobody wrote has a minute at least", { command: "npm run lint" }, 1],
  ["has a minute for what a Reviewer names", { evidence: true }, 1],
])("a run on a tree %s", ([, more, minutes]) => {
  const edits = [{ path: "price.js", to: undefined }];
  const due: Due = { command: "npm test", on: { side: "submission", edits }, why: "without", ...more };
  const firstMs = new Map([
    ["npm test", 60_000],
    ["npm run lint", 900],
  ]);
  expect(minutesFor(due, { firstMs, checkMinutes: 30 })).toBe(minutes);
});
