/** What a piece of evidence is worth, and which kind of criterion it supports. */
import { describe, expect, test } from "vitest";
import { commandNatures } from "../../../src/core/review/command-nature.ts";
import { criterionKinds, kindOf } from "../../../src/core/issue/criterion-kind.ts";
import {
  emptieds,
  failsByAbsence,
  lackedBy,
  lastNumber,
  supports,
  worthOfCommand,
  worths,
} from "../../../src/core/review/evidence.ts";
import type { Ran, Worth } from "../../../src/core/review/evidence.ts";

const ends = (exitCode: number | null, more: Partial<Ran> = {}): Ran => ({ exitCode, ...more });

describe("a command is worth", () => {
  test.for<[Worth, string, Parameters<typeof worthOfCommand>[0]]>([
    ["hollow", "a constant", { nature: "constant", branch: ends(0), base: ends(1) }],
    ["unseen", "no end on the submission", { nature: "runs", branch: ends(null), base: ends(0) }],
    ["unseen", "no end on the base", { nature: "runs", branch: ends(0), base: ends(null) }],
    ["unseen", "no run on the base", { nature: "runs", branch: ends(0), base: undefined }],
    ["as_before", "the same end on both", { nature: "runs", branch: ends(0), base: ends(0) }],
    ["shown", "another end on the base", { nature: "runs", branch: ends(0), base: ends(1) }],
    ["shown", "a refusal that is new", { nature: "runs", branch: ends(2), base: ends(0) }],
    [
      "shown_by_absence",
      "a failure on the base for want of something",
      { nature: "runs", branch: ends(0), base: ends(1, { missing: true }) },
    ],
    [
      "measured",
      "medians that keep the margin",
      {
        nature: "runs",
        branch: ends(0, { figures: [70, 500, 79] }),
        base: ends(0, { figures: [100, 1, 101] }),
        margin: { percent: 20, direction: "fewer" },
      },
    ],
    [
      "shown_by_absence",
      "figures of a run that failed: they are none",
      {
        nature: "runs",
        branch: ends(0, { figures: [1, 1, 1] }),
        base: ends(1, { figures: [100, 100, 100], missing: true }),
        margin: { percent: 20, direction: "fewer" },
      },
    ],
    [
      "as_before",
      "medians that do not keep the margin",
      {
        nature: "runs",
        branch: ends(0, { figures: [81, 81, 1] }),
        base: ends(0, { figures: [100, 100, 100] }),
        margin: { percent: 20, direction: "fewer" },
      },
    ],
  ])("%s: %s", ([worth, , of]) => expect(worthOfCommand(of)).toBe(worth));
});

test("which worth supports which kind", () => {
  const table = criterionKinds.map((kind) => [
    kind,
    commandNatures
      .filter((nature) => nature !== "constant")
      .flatMap((nature) =>
        worths
          .filter((worth) => supports(kind, { worth, nature, exitCode: 0 }))
          .map((worth) => `${nature}: ${worth}`),
      ),
  ]);
  expect(Object.fromEntries(table)).toEqual({
    behaves: ["runs: shown", "runs: shown_by_absence"],
    as_before: ["runs: shown", "runs: as_before"],
    document: ["reads: shown", "reads: shown_by_absence", "runs: shown", "runs: shown_by_absence"],
    measured: ["reads: measured", "runs: measured"],
  });
  expect(supports("behaves", { worth: "shown", nature: "runs", exitCode: 2, text: "refused" })).toBe(true);
  expect(supports("behaves", { worth: "shown", nature: "runs", exitCode: 2, text: " " })).toBe(false);
  expect(supports("as_before", { worth: "as_before", nature: "runs", exitCode: 1, text: "red" })).toBe(false);
});

test("behaviour that is shown by absence has to notice that the work is gone, where that was tried", () => {
  const absent = { worth: "shown_by_absence", nature: "runs", exitCode: 0 } as const;
  expect(emptieds.map((emptied) => [emptied, supports("behaves", { ...absent, emptied })])).toEqual([
    ["differs", true],
    ["same", false],
    ["unused", false],
    ["words", false],
    ["data", false],
    ["tests", false],
    ["not_tried", true],
  ]);
});

describe("the kind of a criterion", () => {
  test.for<[string, ReturnType<typeof kindOf>]>([
    ["Words are counted", { kind: "behaves", guessed: true }],
    ["(behaves) the README is printed", { kind: "behaves", guessed: false }],
    ["(as before) all old tests pass", { kind: "as_before", guessed: false }],
    ["（不变）旧测试通过", { kind: "as_before", guessed: false }],
    ["(document) the option is described", { kind: "document", guessed: false }],
    [
      "(measured: ≥ 20 % fewer allocations) of `bench.js`",
      { kind: "measured", guessed: false, margin: { percent: 20, direction: "fewer" } },
    ],
    [
      "(measured: at least 1.5% higher) throughput",
      { kind: "measured", guessed: false, margin: { percent: 1.5, direction: "more" } },
    ],
    [
      "(measured: ≥ 20 % more requests) for stateless clients",
      { kind: "measured", guessed: false, margin: { percent: 20, direction: "more" } },
    ],
    ["GET /docs answers 200", { kind: "behaves", guessed: true }],
    ["(measured) it is quick", { kind: "measured", guessed: false }],
    ["All existing tests pass", { kind: "as_before", guessed: true }],
    ["The README names the option", { kind: "document", guessed: true }],
    ["现有测试全部通过", { kind: "as_before", guessed: true }],
  ])("%s", ([text, kind]) => expect(kindOf(text)).toEqual(kind));
});

describe("a failure for want of something", () => {
  test.for<[string, number | null, string, boolean]>([
    ["a module", 1, "Error: Cannot find module './sum'", true],
    ["a Python module", 1, "ModuleNotFoundError: No module named 'app'", true],
    ["a file", 2, "cat: x: No such file or directory", true],
    ["a program", 127, "", true],
    ["a function of Go", 2, "./main_test.go:5:2: undefined: Sum", true],
    ["an assertion that fails", 1, "AssertionError: 3 !== 4", false],
    ["success, whatever it prints", 0, "no such file or directory", false],
    ["no end", null, "Cannot find module", false],
  ])("%s", ([, exitCode, output, missing]) => expect(failsByAbsence(exitCode, output)).toBe(missing));
});

test.for<[string, number, string, string | undefined]>([
  ["a name, whichever", 1, "at a.js:1\nTypeError: prices.map is not a function\n", "a name"],
  ["the line that says so", 1, "at a.js:1\nError: ENOENT: a.json\n", "Error: ENOENT: a.json"],
  ["a program", 127, "", "exit status 127"],
  ["nothing", 1, "AssertionError: 3 !== 4", undefined],
])("it lacks %s", ([, exitCode, output, lacks]) => expect(lackedBy(exitCode, output)).toBe(lacks));

test.for<[string, number | undefined]>([
  ["allocations: 1,234", 1234],
  ["took 12.5 ms, then 7", 7],
  ["v8.1.2", undefined],
  ["no figure", undefined],
])("the last number of %j", ([output, number]) => expect(lastNumber(output)).toBe(number));
