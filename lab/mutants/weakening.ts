/** Every kind of weakening, where it is found. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const test = "test/core/weakening/weakening.test.ts";

const ofLines = mutantsOf("src/core/weakening/rules.ts", test, [
  ["only: a line that leaves the other tests out", '...rules("only", "code"', '...rules("only", "comment"'],
  [
    "left out: what manifests and runners leave out",
    '...rules("left out", "line"',
    '...rules("left out", "comment"',
  ],
  ["left out: a build tag", '...rules("left out", "comment"', '...rules("left out", "code"'],
  [
    "swallowed: a command whose failure does not count",
    '...rules("swallowed", "code"',
    '...rules("swallowed", "comment"',
  ],
  [
    "environment: sources that ask where they run",
    '...rules("environment", "line"',
    '...rules("environment", "comment"',
  ],
  ["environment: not what is no source", "!file.test && !isSettings(file)", "true"],
  [
    "uncovered: a comment that leaves lines out of coverage",
    '...rules("uncovered", "comment"',
    '...rules("uncovered", "code"',
  ],
  [
    "suppressed: a linter that is silenced",
    '...rules("suppressed", "comment"',
    '...rules("suppressed", "code"',
  ],
  ["suppressed: a rule that is off", '...rules("suppressed", "line"', '...rules("suppressed", "comment"'],
  [
    "retried: settings that let a test try again",
    '...rules("retried", "line"',
    '...rules("retried", "comment"',
  ],
]);

const signs = mutantsOf("src/core/weakening/environment.ts", test, [
  ["environment: the variables of runners", "(?:NODE_TEST|PYTEST|", "(?:"],
  ["environment: the callers", "Error\\([^()]{0,80}\\)\\??\\.stack", "(?!)"],
  ["environment: the files around it", "(?:node_modules|", "(?:"],
  ["environment: the home", "home_?dir", "(?!)"],
  ["environment: the date", "(?:Date\\.now\\(\\)|", "(?:(?!)"],
]);

const numbers = mutantsOf("src/core/weakening/numbers.ts", test, [
  ["threshold: a lower one", "step < 0", "step > 0"],
  ["time-out: a longer one", "step > 0", "step < 0"],
  ["retried: more often", "retried: /", "flaky: /"],
  ["limit raised: more warnings", '"limit raised":', "flaky:"],
  ["guard removed", "return [...numbers, ...gone]", "return numbers"],
]);

const whole = mutantsOf("src/core/weakening/weakening.ts", test, [
  ["hidden: taken for binary", "if (binary) return", "if (false) return"],
  ["hidden: a line too long to be read", "text.length > lineCharsMax", "text.length > Infinity"],
  [
    "a line that was there before is not new",
    "removed.filter((line) => fires(rule, line))",
    "removed.slice(0, 0)",
  ],
  ["the gravest come first", "rank(a) - rank(b)", "rank(b) - rank(a)"],
  ["numbers: of settings alone", "isSettings(file) ? lowered(lines) : []", "lowered(lines)"],
]);

const seenByRunning = mutantsOf("src/relay/review/check-submission.ts", "test/relay/checks.test.ts", [
  [
    "changed by checks: a source, a test, or what they run",
    ".filter(decides)\n    .slice(0, namedMax)",
    ".slice(0, 0)",
  ],
  ["changed by checks: no other file", ".filter(decides)\n", "\n"],
]);

const inTheDark = mutantsOf("src/relay/run-checks.ts", "test/relay/checks.test.ts", [
  [
    "checks see nothing of monoco",
    '{ ...(!run.plain && { CI: "true" }), [name]: value }',
    '{ MONOCO_X: "", [name]: value }',
  ],
]);

/** Its other tests start the built program, which a copy of the sources has not. */
const title = "checks see nothing of monoco; flaky ones";

const followed = mutantsOf(
  "src/core/weakening/command-names.ts",
  "test/core/weakening/command-names.test.ts",
  [
    ["what a file runs may be named from its own folder", "[name, folder + name]", "[name]"],
    ["a tool that a script runs is run by the check", "|| tool.test(name) ||", "||"],
    ["a script that a tool starts is run by the check", ", ...quotedIn(text)]", "]"],
  ],
);

const protectedToo = [
  ...mutantsOf("src/core/review/protected-contents.ts", "test/core/review/protected-paths.test.ts", [
    ["a life-cycle script that changes is protected", "is[name] !== was[name]", "!(name in was)"],
    ["a source that becomes a link is protected", "(wasFile && isCode(languageOf(path))) ||", ""],
    ["a link to a source is protected", "|| isCode(languageOf(target)) ||", "||"],
  ]),
  ...mutantsOf("src/core/relay/gate.ts", "test/core/relay/decide.test.ts", [
    ["a life-cycle script needs a person", '  "lifecycle",\n', ""],
    ["vendored code needs a person", '  "vendored",\n', ""],
    ["a registry needs a person", '  "registry",\n', ""],
    ["a link needs a person", '  "link",\n', ""],
    ["what is read first needs a person", '  "startup",\n', ""],
  ]),
  ...mutantsOf("src/relay/review/inspect.ts", "test/relay/followed.test.ts", [
    ["what a check leads to is followed to its end", "open.push([name, command]);", ""],
  ]),
];

const order = mutantsOf("src/core/weakening/sources-first.ts", "test/core/weakening/sources-first.test.ts", [
  ["changed files come before new ones", "(isNew ?", "(!isNew ?"],
]);

export const weakening: readonly Mutant[] = [
  ...ofLines,
  ...signs,
  ...numbers,
  ...whole,
  ...followed,
  ...protectedToo,
  ...order,
  ...[...seenByRunning, ...inTheDark].map((row) => ({ ...row, title: row.title ?? title })),
];
