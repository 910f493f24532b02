/** Tests that call something by another name: do they still say the same of it? */
import { expect, test } from "vitest";
import { readDiff } from "../../../src/core/text/diff.ts";
import { assertsOtherValues } from "../../../src/core/weakening/other-values.ts";

const diffOf = (path: string, removed: readonly string[], added: readonly string[]): string =>
  [
    `diff --git a/${path} b/${path}`,
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -1,${removed.length} +1,${added.length} @@`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    "",
  ].join("\n");

test.for<[string, string, string[], string[], boolean]>([
  ["a name alone", "test/a.test.js", ["assert.equal(f([1, 2]), 3);"], ["assert.equal(g([1, 2]), 3);"], false],
  ["another input", "test/a.test.js", ["assert.equal(f([1, 2]), 3);"], ["assert.equal(g([1, 1]), 3);"], true],
  ["another value", "test/a.test.js", ['expect(f("a")).toBe("b");'], ['expect(g("a")).toBe("c");'], true],
  ["more of them", "test/a.test.js", ["assert(f(1) === 2);"], ["assert(g(1) === 2 && g(2) === 3);"], false],
  ["a table of Go", "a_test.go", ["\t\t{1, 2, 3},"], ["\t\t{1, 1, 3},"], true],
  ["another title", "test/a.test.js", ['test("f adds", () => {'], ['test("g adds", () => {'], false],
  [
    "another module",
    "test/a.test.js",
    ['import { f } from "./f.js";'],
    ['import { g } from "./g.js";'],
    false,
  ],
  ["another comment", "test/a.test.js", ["// assert 1"], ["// assert 2"], false],
  ["a shell's", "tests/a.sh", ['[ "$(f 1)" = 2 ] || exit 1'], ['[ "$(g 1)" = 3 ] || exit 1'], true],
  ["a source's", "src/a.js", ["assert.equal(f(1), 2);"], ["assert.equal(f(1), 3);"], false],
])("%s", ([, path, removed, added, other]) => {
  expect(assertsOtherValues(readDiff(diffOf(path, removed, added)))).toBe(other);
});
