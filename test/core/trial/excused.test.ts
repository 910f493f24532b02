/** Which broken tests of the base a criterion asks for. */
import { expect, test } from "vitest";
import { readDiff } from "../../../src/core/text/diff.ts";
import { namesAssertions } from "../../../src/core/trial/excused.ts";

const diff = (removed: string, added: string): string =>
  `diff --git a/tax.test.js b/tax.test.js\n--- a/tax.test.js\n+++ b/tax.test.js\n@@ -1,${removed.split("\n").length} +1,${added.split("\n").length} @@\n${removed.replaceAll(/^/gm, "-")}\n${added.replaceAll(/^/gm, "+")}\n`;
const was = 'test("vat", () => assert.equal(vat(100), 116));';
const is = 'test("vat", () => assert.equal(vat(100), 119));';

test.for<[boolean, string, string, string, string]>([
  [true, "names the input and the new value", "VAT is 19 %: `vat(100)` is 119", was, is],
  [false, "names the new value alone", "VAT is 119", was, is],
  [
    false,
    "names the new value alone, where the input is a word",
    "The answer is 19",
    'assert.equal(rate("food"), 16);',
    'assert.equal(rate("food"), 19);',
  ],
  [false, "names another value", "`vat(100)` is 120", was, is],
  [false, "names neither", "VAT is right", was, is],
  [
    false,
    "says nothing of a second assertion",
    "`vat(100)` is 119",
    `${was}\nassert.equal(vat(0), 0);`,
    `${is}\nassert.equal(vat(0), 1);`,
  ],
  [
    false,
    "names another assertion than the one that broke",
    "`rate(0)` is 1, the minimum",
    "assert.equal(rate(100), 10);",
    "assert.equal(rate(0), 1);",
  ],
  [
    true,
    "names the input, and the new text",
    '`greet("Bob")` is "Good day, Bob"',
    'assert.equal(greet("Bob"), "Hello to you, Bob");',
    'assert.equal(greet("Bob"), "Good day, Bob");',
  ],
  [false, "cannot ask for an assertion to go", "`vat(100)` is 119", was, "// gone"],
  [
    false,
    "asks for nothing of a test that only asks less",
    "`vat(100)` is 116",
    was,
    'test("vat", () => assert(vat(100)));',
  ],
])("%s: a criterion that %s", ([names, , criterion, removed, added]) =>
  expect(namesAssertions([criterion], readDiff(diff(removed, added)))).toBe(names),
);
