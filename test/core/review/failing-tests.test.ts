import { describe, expect, it, test } from "vitest";
import { failingTests, lastLine } from "../../../src/core/review/failing-tests.ts";

/** Output of runners as they print it, with the names of its failing tests. */
const outputs: readonly [runner: string, output: string, names: readonly string[]][] = [
  [
    "pytest",
    "=== short test summary info ===\nFAILED tests/test_a.py::test_median - assert 3 == 2\nERROR tests/test_b.py - ImportError\n=== 1 failed, 1 error, 3 passed in 0.04s ===",
    ["tests/test_a.py::test_median", "tests/test_b.py"],
  ],
  [
    "unittest",
    "FAIL: test_median (test_a.Stats.test_median)\n---\nERROR: test_b (test_a.Stats)\n",
    ["test_b (test_a.Stats)", "test_median (test_a.Stats.test_median)"],
  ],
  [
    "go",
    "--- FAIL: TestMedian (0.00s)\n    --- FAIL: TestMedian/even (0.00s)\nFAIL\nFAIL\texample.org/stats\t0.003s\n",
    ["TestMedian", "TestMedian/even", "example.org/stats"],
  ],
  [
    "cargo",
    "test stats::median ... FAILED\ntest stats::mean ... ok\n\nfailures:\n    stats::median\n",
    ["stats::median"],
  ],
  [
    "node",
    "✖ median of four (0.52ms)\n✔ mean (0.1ms)\nℹ fail 1\n\n✖ failing tests:\n\n✖ median of four (0.52ms)\n",
    ["median of four"],
  ],
  [
    "TAP",
    "not ok 1 - median\nok 2 - mean\nnot ok 3 - mode # TODO later\nnot ok 4 - slow # SKIP\n",
    ["median"],
  ],
  [
    "vitest",
    " × stats > median 3ms\n\n FAIL  test/stats.test.ts > stats > median\n",
    ["stats > median", "test/stats.test.ts > stats > median"],
  ],
  [
    "jest",
    "FAIL test/stats.test.js (5.1 s)\n  ● stats › median\n\n    expect(received)\n",
    ["stats › median", "test/stats.test.js"],
  ],
  ["mocha", "  2 passing (9ms)\n  1 failing\n\n  1) stats\n       median:\n     AssertionError\n", ["stats"]],
  [
    "maven",
    "[ERROR] StatsTest.median:12 expected: <2> but was: <3>\n[ERROR] Tests run: 3\n",
    ["StatsTest.median"],
  ],
  [
    "gradle",
    "StatsTest > median() FAILED\n    org.opentest4j.AssertionFailedError\n",
    ["StatsTest > median()"],
  ],
  ["dotnet", "  Failed Stats.Median [12 ms]\n  Error Message:\n", ["Stats.Median"]],
  ["ctest", "The following tests FAILED:\n\t  3 - median (Failed)\n", ["median"]],
  ["rspec", "rspec ./spec/stats_spec.rb:4 # Stats median\n", ["Stats median"]],
  ["minitest", "  1) Failure:\nTestStats#test_median [test/stats.rb:4]:\n", ["TestStats#test_median"]],
  [
    "PHPUnit",
    "There was 1 failure:\n\n1) StatsTest::testMedian\nFailed asserting that 3 matches 2.\n",
    ["StatsTest::testMedian"],
  ],
  ["a script", "FAIL: legacy test 17\n", ["legacy test 17"]],
  ["colours", "\u001b[31m✖ median\u001b[39m (2ms)\n", ["median"]],
];

describe("the names of failing tests", () => {
  it.each(outputs)("%s", (_runner, output, names) => {
    expect(failingTests(output)).toEqual(names);
  });

  it.each([
    ["of a compiler", "src/a.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.\n"],
    ["of a list with numbers", "1) first\n2) second\n"],
    ["of nothing", ""],
    ["of a wreck", Array.from({ length: 300 }, (_, n) => `FAIL: test ${n}`).join("\n")],
  ])("an output %s has none that can be compared", (_kind, output) => {
    expect(failingTests(output)).toBeUndefined();
  });
});

test("the last line is the program's, not npm's", () => {
  expect(
    lastLine(
      "\u001b[31mmedian is wrong\u001b[0m\n\nnpm error Lifecycle script `test` failed\nnpm error code 1\n",
    ),
  ).toBe("median is wrong");
  expect(lastLine("\n")).toBe("");
});

test.each([
  [
    "npm error code EUSAGE\nnpm error\nnpm error The `npm ci` command can only install with an existing package-lock.json or\nnpm error npm-shrinkwrap.json with lockfileVersion >= 1.\nnpm error Usage:\nnpm error npm ci\n",
    "The `npm ci` command can only install with an existing package-lock.json or",
  ],
  [
    "npm error code ETARGET\nnpm error notarget No matching version found for ignore@99.0.0.\nnpm error A complete log of this run can be found in: /home/me/.npm/_logs/x.log\n",
    "notarget No matching version found for ignore@99.0.0.",
  ],
  ["added 1 package\nnpm error code 1\n", "added 1 package"],
])("of npm's own failure its first sentence is shown: %#", (output, sentence) => {
  expect(lastLine(output)).toBe(sentence);
});
