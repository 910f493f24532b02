/** By which rule evidence counts for a criterion: what was measured on the trees decides, and a guess only adds a way. */
import { describe, expect, test } from "vitest";
import type { Known } from "../../../src/core/review/verdict/known.ts";
import { judgeCriterion } from "../../../src/core/review/verdict/looked-at.ts";
import type { Criterion, Way } from "../../../src/core/review/verdict-schema.ts";
import type { OnTrees } from "../../../src/core/trial/evidence-runs.ts";
import type { Trial } from "../../../src/core/trial/trial-schema.ts";
import { checkResult } from "../support/relays.ts";

type Files = Known["changed"];
const source: Files[0] = { path: "src/price.js", role: "source" };
const testFile: Files[0] = { path: "test/price.test.js", role: "test" };
const dockerfile: Files[0] = { path: "Dockerfile", role: "other" };
const readme: Files[0] = { path: "README.md", role: "other" };

const trial = (more: Partial<Trial> = {}): Trial => ({
  onBase: { result: "none", files: [] },
  crossing: { result: "nothing", found: [] },
  takeBack: {
    result: "tried",
    changes: [{ file: "src/price.js", line: 1, lines: 3, result: "unguarded" }],
    left: 0,
  },
  ms: 0,
  ...more,
});
const red = trial({ onBase: { result: "fail", files: ["test/price.test.js"], by: "npm test" } });
const guarded = trial({
  takeBack: {
    result: "tried",
    left: 0,
    changes: [{ file: "src/price.js", line: 1, lines: 3, result: "guarded", by: "npm test" }],
  },
});
const reached = trial({
  takeBack: {
    result: "tried",
    left: 0,
    changes: [{ file: "src/price.js", line: 1, lines: 3, result: "reached", by: "npm test" }],
  },
});

const ends = (exitCodes: Partial<Record<keyof OnTrees, number>>): OnTrees =>
  Object.fromEntries(Object.entries(exitCodes).map(([tree, exitCode]) => [tree, { exitCode }]));
/** It ends otherwise on the base, without the work and with new names alone. */
const work = ends({ branch: 0, base: 1, words: 1, names: 1, comment: 0 });
/** A search in a source: the words are still there. */
const words = ends({ branch: 0, base: 1, words: 0 });
const same = ends({ branch: 0, base: 0 });

type Case = {
  says: string;
  command?: string;
  line?: [file: string, line: number, text: string];
  exitCode?: number;
  text?: string;
  on?: OnTrees;
  changed?: Files;
  trial?: Trial;
};

function wayOf({
  says,
  command,
  line,
  exitCode = 0,
  text,
  on = {},
  changed = [source],
  trial: tried,
}: Case): Criterion {
  const known: Known = {
    criteria: [says],
    checks: [checkResult(true)],
    runs: new Map(command === undefined ? [] : [[command, on]]),
    figures: new Map(),
    trial: tried,
    changed,
    lines: new Map(line ? [[line[0], 50]] : []),
    added: new Map(line ? [[line[0], new Map([[line[1], line[2]]])]] : []),
    guarded: [],
    earlier: [],
  };
  const evidence = command === undefined ? { file: line?.[0], line: line?.[1] } : { command, exitCode };
  return judgeCriterion(
    { criterion: 1, result: "met", ...evidence, ...(text !== undefined && { text }) },
    known,
  );
}

describe("what counts, in this order", () => {
  test.for<[Way | undefined, string, Case]>([
    // A written kind binds.
    ["written", "behaves, by what runs", { says: "(behaves) it is 180", command: "node try.js", on: work }],
    [undefined, "behaves, by a search", { says: "(behaves) it is 180", command: "grep -q 180 a", on: work }],
    [
      "written",
      "a document, by a line beside sources",
      { says: "(document) it is described", line: ["README.md", 3, "x"], changed: [source, readme] },
    ],
    [
      undefined,
      "behaves, by a line",
      { says: "(behaves) it is 180", line: ["README.md", 3, "180"], changed: [readme] },
    ],
    [
      "written",
      "as before, by what runs",
      { says: "(as before) it sums", command: "node sum.js", on: ends({ branch: 0, base: 0, names: 1 }) },
    ],
    ["written", "as before, by a check", { says: "(as before) it sums", command: "npm test", on: same }],
    [
      undefined,
      "as before, by what does not reach the work",
      { says: "(as before) it sums", command: "npm --version", on: ends({ branch: 0, base: 0, names: 0 }) },
    ],
    [
      "written",
      "as before, by the tool that the criterion names, though it is no check",
      {
        says: "(as before) all old tests pass",
        command: "node --test",
        on: ends({ branch: 0, base: 0, names: 0 }),
      },
    ],
    [
      undefined,
      "as before, by a tool that is only asked",
      {
        says: "(as before) all old tests pass",
        command: "make -n test",
        on: ends({ branch: 0, base: 0, names: 0 }),
      },
    ],
    [
      "written",
      "as before, where the base's tests and guarded lines say so",
      {
        says: "(as before) the total is the same",
        command: "node --test",
        on: ends({ branch: 0, base: 0, names: 0 }),
        trial: reached,
      },
    ],
    // Files that a criterion names, or that show how to use the work.
    [
      "tests",
      "a test that the criterion names, by a search in it",
      {
        says: "price.test.js no longer sets the old rate",
        command: "! grep -q rate test/price.test.js",
        on: ends({ branch: 0, base: 1, words: 0 }),
        changed: [testFile],
      },
    ],
    [
      undefined,
      "a file of which nobody says that it is the test",
      {
        says: "it reads the settings file",
        command: "grep -q settings test/price.test.js",
        on: ends({ branch: 0, base: 1, words: 0 }),
        changed: [testFile],
      },
    ],
    [
      undefined,
      "a function that is called as its test is",
      {
        says: "price halves the rate",
        command: "grep -q price src/price.js",
        on: ends({ branch: 0, base: 1, words: 0 }),
        changed: [source, testFile],
        trial: red,
      },
    ],
    [
      undefined,
      "a source, by a line of it",
      { says: "src/price.js halves the rate", line: ["src/price.js", 1, "x"], changed: [source] },
    ],
    [
      "line",
      "tests, by a line of them, where the claim goes on behind a comma",
      {
        says: "there are tests for rates in arrays, in each format",
        line: ["test/price.test.js", 3, "x"],
        changed: [testFile],
      },
    ],
    [
      "differs",
      "that there is an example, by its file",
      {
        says: "there is an example for ESM",
        command: "test -f example/parse.mjs",
        on: ends({ branch: 0, base: 1, words: 0 }),
        changed: [{ path: "example/parse.mjs", role: "source" }],
      },
    ],
    [
      undefined,
      "what an example does, by its file",
      {
        says: "the example prints 3",
        command: "test -f example/parse.mjs",
        on: ends({ branch: 0, base: 1, words: 0 }),
        changed: [{ path: "example/parse.mjs", role: "source" }],
      },
    ],
    [
      "line",
      "a document, by a line, where the next sentence goes on about it",
      {
        says: "README.md shows how to subtract. It names both arguments",
        line: ["README.md", 3, "x"],
        changed: [readme],
      },
    ],
    // A check that turns red without the work.
    [
      "guard",
      "the check that fails with the new tests on the base",
      { says: "`discount(200, 10)` is 180", command: "npm test", trial: red },
    ],
    [
      "guard",
      "the check that turned red as a change was taken back",
      { says: "it is 180", command: "npm test", trial: guarded },
    ],
    [
      undefined,
      "a check that stays green whatever is taken back",
      { says: "it is 180", command: "npm test", on: same, trial: trial() },
    ],
    [
      "passes",
      "a check, for a criterion that it passes",
      { says: "All existing tests pass", command: "npm test", on: same, trial: trial() },
    ],
    [
      "passes",
      "another tool, for a criterion that it passes",
      { says: "Lint passes", command: "npm run lint", on: same },
    ],
    [
      "passes",
      "the very command that the criterion names",
      { says: "`node build.js` succeeds", command: "node build.js", on: same },
    ],
    [
      undefined,
      "another command, for a criterion that lint passes",
      { says: "Lint passes", command: "node -e 0", on: same },
    ],
    [
      undefined,
      "a check, for a criterion of two halves",
      { says: "All tests pass, and the total is rounded to cents", command: "npm test", on: same },
    ],
    // What differs from the base, and without the work.
    ["differs", "a program", { says: "it is 180", command: "node try.js", on: work }],
    [
      "differs",
      "a search for a file that is new, where no source is changed",
      {
        says: "There is a Dockerfile",
        command: "test -f Dockerfile",
        on: ends({ branch: 0, base: 1 }),
        changed: [dockerfile],
      },
    ],
    [
      "differs",
      "a search for a file that is new beside sources, by its name",
      {
        says: "There is a Dockerfile",
        command: "test -f Dockerfile",
        on: ends({ branch: 0, base: 1, words: 1, names: 0, data: 1 }),
        changed: [source, dockerfile],
      },
    ],
    [
      undefined,
      "data beside sources, for a criterion about something else",
      {
        says: "it is 180",
        command: "grep -q 180 README.md",
        on: ends({ branch: 0, base: 1, words: 1, names: 0, data: 1 }),
        changed: [source, readme],
      },
    ],
    [
      undefined,
      "a README beside sources, for a criterion of two halves",
      {
        says: "The total is 180 for two items and the README says so",
        command: "grep -q 180 README.md",
        on: ends({ branch: 0, base: 1, words: 1, names: 0, data: 1 }),
        changed: [source, readme],
      },
    ],
    [
      undefined,
      "a search in a source",
      { says: "it is 180", command: "grep -q 180 src/price.js", on: words },
    ],
    [
      "differs",
      "a search that finds no more what was removed",
      { says: "`.old` is removed", command: "! grep -q old a.js", on: work },
    ],
    [
      undefined,
      "what only loads a name",
      { says: "it is 180", command: "node load.js", on: ends({ branch: 0, base: 1, words: 1, names: 0 }) },
    ],
    [
      undefined,
      "what reads the text of the work",
      {
        says: "it is 180",
        command: "node hash.js",
        on: ends({ branch: 0, base: 1, words: 1, names: 1, comment: 1 }),
      },
    ],
    [
      "differs",
      "a formatter, which objects to a comment on the base, too",
      {
        says: "it is 180",
        command: "fmt",
        exitCode: 0,
        on: ends({ branch: 0, base: 0, words: 1, names: 1, comment: 1, base_comment: 1 }),
        changed: [source, testFile],
      },
    ],
    [
      undefined,
      "what ends otherwise in another folder: it may know that it is tested",
      {
        says: "it is 180",
        command: "node try.js",
        on: ends({ branch: 0, base: 1, words: 1, names: 1, comment: 0, elsewhere: 1 }),
      },
    ],
    [
      undefined,
      "a status other than 0 that no word expects",
      {
        says: "it is refused",
        command: "node try.js",
        exitCode: 2,
        on: ends({ branch: 2, base: 0, words: 0, names: 0, comment: 2 }),
      },
    ],
    [
      "differs",
      "a status other than 0, and why",
      {
        says: "it is refused",
        command: "node try.js",
        exitCode: 2,
        text: "usage",
        on: ends({ branch: 2, base: 0, words: 0, names: 0, comment: 2 }),
      },
    ],
    [
      "differs",
      "tests of one file that are as green on the base, which lacks the new ones",
      {
        says: "it is 180",
        command: "pytest test_git.py",
        on: ends({ branch: 0, base: 0, words: 1, names: 1, comment: 0 }),
        changed: [source, testFile],
      },
    ],
    [
      undefined,
      "a search in a document, where nothing else is changed and the criterion is about something else",
      {
        says: "it is 180 for 200",
        command: "grep -q 180 README.md",
        on: ends({ branch: 0, base: 1 }),
        changed: [readme],
      },
    ],
    [
      "tests",
      "a search in a test, for a criterion about tests, where the new tests fail on the base",
      {
        says: "A regression test covers it",
        command: "grep -q negative test/price.test.js",
        on: words,
        changed: [source, testFile],
        trial: red,
      },
    ],
    [
      undefined,
      "the same, where they pass on the base",
      {
        says: "A regression test covers it",
        command: "grep -q negative test/price.test.js",
        on: words,
        changed: [source, testFile],
        trial: trial(),
      },
    ],
    // A file and a line.
    [
      "line",
      "of a declarative file that the criterion is about",
      {
        says: "The Dockerfile exposes port 8080",
        line: ["Dockerfile", 3, "EXPOSE 8080"],
        changed: [source, dockerfile],
      },
    ],
    [
      "line",
      "where no source is changed, and the two have words in common",
      { says: "It exposes port 8080", line: ["Dockerfile", 3, "EXPOSE 8080"], changed: [dockerfile] },
    ],
    [
      undefined,
      "beside sources, where the criterion names no such file",
      { says: "It exposes port 8080", line: ["Dockerfile", 3, "EXPOSE 8080"], changed: [source, dockerfile] },
    ],
    [undefined, "of a source", { says: "it is 180", line: ["src/price.js", 3, "return 180"] }],
    [
      undefined,
      "of a document, for a criterion about something else",
      {
        says: "discount(200, 10) is 180",
        line: ["README.md", 3, "discount(200, 10) is 180"],
        changed: [readme],
      },
    ],
    [
      "line",
      "of a test, where no source is changed",
      {
        says: "`total` is tested with an empty cart",
        line: ["test/price.test.js", 8, "empty"],
        changed: [testFile],
      },
    ],
    // What stays.
    [
      "stays",
      "the base's tests are green, and the changed lines are guarded",
      { says: "`total` behaves as before", command: "node sum.js", on: same, trial: guarded },
    ],
    [
      "stays",
      "the same of a refactoring, whose lines are reached",
      { says: "`total` behaves as before", command: "node sum.js", on: same, trial: reached },
    ],
    [
      undefined,
      "lines stay unguarded",
      { says: "`total` behaves as before", command: "node sum.js", on: same, trial: trial() },
    ],
    [
      undefined,
      "a test of the base is broken",
      {
        says: "`total` behaves as before",
        command: "node sum.js",
        on: same,
        trial: {
          ...guarded,
          crossing: {
            result: "tried",
            found: [{ crossed: "base_tests", command: "npm test", result: "weakened", files: ["a"] }],
          },
        },
      },
    ],
    [
      undefined,
      "one half only says that something stays",
      {
        says: "Existing callers still work, and a new option rounds to cents",
        command: "node sum.js",
        on: same,
        trial: guarded,
      },
    ],
    [
      "absent",
      "a search that finds nothing, for what nothing may refer to",
      { says: "Nothing imports it any more", command: "! grep -rn legacy src", on: same },
    ],
    // Hollow by itself.
    [
      undefined,
      "a filter that matches nothing",
      { says: "it is 180", command: "node --test", on: { ...work, branch: { exitCode: 0, nothing: true } } },
    ],
    [undefined, "a constant", { says: "All tests pass", command: "true", on: same }],
  ])("%s: %s", ([way, , of]) => {
    const { by, supports } = wayOf(of);
    expect([by, supports ?? false]).toEqual([way, way !== undefined]);
  });
});
