/** Every kind of weakening, where it is found. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const test = "test/core/weakening/weakening.test.ts";

const ofLines = mutantsOf("src/core/weakening/rules.ts", test, [
  ["skipped: a line that skips a test", "  ...skips,", ""],
  ["skipped: manifests that leave tests out", "  ...manifestRules,", ""],
  ["only: a line that leaves the other tests out", "  ...only,", ""],
  ["swallowed: a command whose failure does not count", "  ...swallowed,", ""],
  ["empty assertion: a constant", "  ...emptyAssertions,", ""],
  ["uncovered: a comment that leaves lines out of coverage", "  ...uncovered,", ""],
  ["suppressed: a linter that is silenced", "  ...suppressed,", ""],
  ["retried: a test that may try again", "  ...retried,", ""],
  ["time-out: a line that sets one", "  ...slower,", ""],
]);

const ofTests = mutantsOf("src/core/weakening/test-rules.ts", test, [
  ["empty assertion: a value against itself", "  ...selfAssertions,", ""],
  ["skipped: settings that leave tests out", "  ...excluded,", ""],
  ["writes sources: a test that does", "  ...writesSources,", ""],
  ["environment: sources that ask where they run", "  ...environment,", ""],
]);

const across = mutantsOf("src/core/weakening/across.ts", test, [
  [
    "expectation: another value beside changed sources",
    "...(sources.length > 0 ? otherExpectations(read, block) : []),",
    "",
  ],
  ["mocked: what the diff changes", "mocks(line, sources)", "false"],
  ["build output: a test of it", "runsBuilt(line, built)", "false"],
  ["swallowed: an assertion in a try that hears nothing", "...unheard(read, block)", "...[]"],
  ["returns early: a test that does", "...returns(read, block)", "...[]"],
]);

const counted = mutantsOf("src/core/weakening/counts.ts", test, [
  ["tests removed", 'const gone = lost(read, tests, "tests removed")', "const gone = undefined"],
  ["assertions removed", 'return [gone, lost(read, asserted, "assertions removed")]', "return [gone]"],
  ["file deleted: with its tests", "if (gone) return [{", "if (false) return [{"],
  ["what only moved counts for neither", "filter(({ line }) => !take(pool, line, moved))", "slice()"],
]);

const numbers = mutantsOf("src/core/weakening/numbers.ts", test, [
  ["threshold: a lower one", 'kind: "threshold",\n    to: "down"', 'kind: "threshold",\n    to: "up"'],
  ["time-out: a longer one", '"time-out", to: "up", key: /time', '"time-out", to: "down", key: /time'],
  ["time-out: behind a test's end", "of slowed(removed, added))", "of [])"],
  ["retried: more often", 'kind: "retried",\n    to: "up"', 'kind: "retried",\n    to: "down"'],
  ["limit raised: fewer digits", '"limit raised", to: "down"', '"limit raised", to: "up"'],
  [
    "limit raised: more warnings",
    'kind: "limit raised",\n    to: "up",\n    key: /max',
    'kind: "limit raised",\n    to: "down",\n    key: /max',
  ],
  ["guard removed", "of guardsGone(removed, added))", "of [])"],
  ["loosened: the same subject, asked for less", "of loosened(removed, added))", "of [])"],
]);

const whole = mutantsOf("src/core/weakening/weakening.ts", test, [
  ["file deleted: called otherwise, so that nobody runs it", "if (was.test && !file.test &&", "if (false &&"],
  ["hidden: taken for binary", "if (diff.binary &&", "if (false &&"],
  ["hidden: a line too long to be read", "text.length > lineCharsMax", "text.length > Infinity"],
  ["snapshot: rewritten", "if (file.snapshot &&", "if (false &&"],
  [
    "a line that was there before is not new",
    "block.removed.filter((line) => fires(rule, line))",
    "block.removed.slice(0, 0)",
  ],
  ["the gravest come first", "rank(a) - rank(b)", "rank(b) - rank(a)"],
]);

const seenByRunning: Mutant[] = [
  {
    rule: "crossed: the base's tests fail on the work",
    file: "src/relay/review/check-submission.ts",
    find: 'one.result === "weakened"',
    replace: "false",
    test: "test/relay/put-to-test.test.ts",
    title: "that turn red where its own are green are a listed weakening",
  },
  ...mutantsOf("src/relay/review/check-submission.ts", "test/relay/checks.test.ts", [
    ["flaky: a check that ends otherwise again", 'kind: "flaky"', 'kind: "only"'],
    ["changed by checks: a tracked file", ".slice(0, changedByChecksMax)", ".slice(0, 0)"],
    ["checks run twice where tests are changed", "await testsChanged(relay, record)", "false"],
  ]),
];

const inTheDark = mutantsOf("src/relay/run-checks.ts", "test/relay/checks.test.ts", [
  [
    "checks see nothing of monoco",
    '{ CI: "true", [name]: value }',
    '{ MONOCO_X: "", CI: "true", [name]: value }',
  ],
]);

/** Its other tests start the built program, which a copy of the sources has not. */
const titleOf = ({ rule }: Mutant): string =>
  rule.startsWith("checks run twice")
    ? "green checks run a second time"
    : "checks see nothing of monoco; flaky ones";

const examples = mutantsOf("src/core/weakening/doctests.ts", "test/core/weakening/doctests.test.ts", [
  ["expectation: a doctest", "if (is?.expected === expected) return [];", "if (is) return [];"],
  ["tests removed: a doctest", "if (!is) return [", "if (!is) return []; if (false) return ["],
]);

const values = mutantsOf("src/core/weakening/other-values.ts", "test/core/weakening/other-values.test.ts", [
  ["crossed: other values behind another name", "return at === -1;", "return false;"],
  ["crossed: a name of a test case is no value", "(titles && code.search(titles) !== -1)", "false"],
]);

const followed = mutantsOf(
  "src/core/weakening/command-names.ts",
  "test/core/weakening/command-names.test.ts",
  [["a tool's own modules are run with it", "folder + name + end", "name + end"]],
);

export const weakening: readonly Mutant[] = [
  ...ofLines,
  ...ofTests,
  ...across,
  ...counted,
  ...numbers,
  ...whole,
  ...examples,
  ...values,
  ...followed,
  ...[...seenByRunning, ...inTheDark].map((row) => ({ ...row, title: row.title ?? titleOf(row) })),
];
