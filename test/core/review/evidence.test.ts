/** What a piece of evidence is worth, and what is hollow by itself. */
import { describe, expect, test } from "vitest";
import { kindOf } from "../../../src/core/issue/criterion-kind.ts";
import { isConstant, keepsMargin, readsOnly, worthOfCommand } from "../../../src/core/review/evidence.ts";
import { failsByAbsence, lackedBy, lastNumber, ranNothing } from "../../../src/core/trial/output.ts";
import type { Worth } from "../../../src/core/review/evidence.ts";
import type { Ended } from "../../../src/core/trial/due.ts";

test.for<[Worth, string, number, Ended | undefined]>([
  ["unseen", "no end on the base", 0, "time"],
  ["unseen", "no run on the base", 0, undefined],
  ["as_before", "the same end on both", 0, { exitCode: 0 }],
  ["shown", "another end on the base", 0, { exitCode: 1 }],
  ["shown", "a refusal that is new", 2, { exitCode: 0 }],
  ["shown_by_absence", "a failure on the base for want of something", 0, { exitCode: 1, missing: true }],
])("a command is worth %s: %s", ([worth, , exitCode, base]) =>
  expect(worthOfCommand(exitCode, base)).toBe(worth),
);

test.for<[boolean, number[], number[]]>([
  [true, [70, 500, 79], [100, 1, 101]],
  [false, [81, 81, 1], [100, 100, 100]],
  [false, [1, 1, 1], []],
])("20 % fewer is %s of the medians of %j and %j", ([holds, branch, base]) =>
  expect(keepsMargin({ percent: 20, direction: "fewer" }, { branch, base })).toBe(holds),
);

test.for<[string, boolean]>([
  ["true", true],
  ["echo ok", true],
  ["npm test || true", true],
  ["npm test | tail -5", true],
  ["npm test; exit 0", true],
  ["set -o pipefail; npm test | tail -5", false],
  ["npm test", false],
  ["echo 1 | node cli.js", false],
  ["node cli.js | grep -q ok", false],
  ["test $(cat fonts/* | wc -c) -lt 307200", false],
  ['[ "$(ls src | wc -l)" = 3 ]', false],
  ['test "$(git diff --stat $(git merge-base HEAD main) | sort)" = ""', false],
  ["du -b fonts | awk '{ sum += $1 } END { exit sum > 307200 }'", false],
  ["node cli.js | sed -n '/x/q1'", false],
  ["grep -q 'a | cat' README.md", false],
  ["npm test | awk '{ print $1 }'", true],
  ['bash -c "npm test | tail -5"', true],
  ["sh -c 'npm test | cat'", true],
])("%j could not have ended otherwise: %s", ([command, constant]) =>
  expect(isConstant(command)).toBe(constant),
);

test.for<[string, boolean]>([
  ["grep -q a src/a.js", true],
  ["! grep -rn old src && test -f new.js", true],
  ["cat a | grep b", true],
  ["git diff --stat", true],
  ["npm test && grep -q a b", false],
  ["node cli.js | grep -q ok", false],
  ["A=1 python3 -c 'print(1)'", false],
])("%j only reads: %s", ([command, reads]) => expect(readsOnly(command)).toBe(reads));

test.for<[string, string, string, boolean]>([
  ["Python", "python3 -m unittest -k nothing", "Ran 0 tests in 0.000s\n\nOK", true],
  ["pytest", "pytest -k nothing", "collected 0 items", true],
  ["vitest", "vitest run none --passWithNoTests", "No test files found, exiting with code 0", true],
  ["Go", "go test -run none ./...", "testing: warning: no tests to run\nPASS", true],
  ["Mocha", "mocha -g none", "  0 passing (2ms)", true],
  [
    "Node, which names the file",
    "node --test --test-name-pattern=none a.test.js",
    "\u2714 a.test.js (85 ms)\n\u2139 tests 1",
    true,
  ],
  [
    "Node with a test of that name",
    "node --test --test-name-pattern=sum a.test.js",
    "\u2714 sums (1 ms)\n\u2139 tests 1",
    false,
  ],
  ["a script of assertions", "node --test a.js", "\u2714 a.js (85 ms)\n\u2139 tests 1", false],
  ["tests that ran", "pytest", "collected 3 items\n3 passed", false],
])("a filter that matches nothing is seen in the output of %s", ([, command, output, nothing]) =>
  expect(ranNothing(command, output)).toBe(nothing),
);

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
