import { getNodeValue } from "jsonc-parser";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lineAt, memberOf, parseJson } from "../../../src/core/exchange/json-places.ts";

function valueOf(text: string): unknown {
  const read = parseJson(text);
  if ("fault" in read) throw new SyntaxError(read.fault.message);
  return getNodeValue(read.root);
}

describe("what is JSON here is JSON for JSON.parse, with the same value", () => {
  const texts = [
    "1",
    "-0.5e+3",
    "01",
    "+1",
    ".5",
    "1.",
    "NaN",
    "nul",
    "'a'",
    '"\\x"',
    '"\\u12"',
    '"a\nb"',
    '"a\tb"',
    '"\u2028"',
    "\u00a01",
    "\f1",
    "[1,]",
    "[,1]",
    '{"a":1,}',
    "{a:1}",
    '{"a" 1}',
    "1 2",
    "// c\n1",
    "1 /* c */",
    "",
    " ",
    '{"__proto__":{"a":1}}',
    '{"a":1,"a":2}',
  ];
  const byJsonParse = (text: string): unknown => JSON.parse(text);
  const outcome = (read: (text: string) => unknown, text: string): string => {
    try {
      return JSON.stringify(read(text));
    } catch {
      return "refused";
    }
  };

  test.for(texts.map((text) => [text]))("%j", ([text]) =>
    expect(outcome(valueOf, text!)).toBe(outcome(byJsonParse, text!)),
  );

  test("whatever it is made of", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"',
      "\\",
      "1",
      "-",
      "null",
      " ",
      "\n",
      "e2",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.array(piece).map((all) => all.join("")),
        ),
        (text) => {
          expect(outcome(valueOf, text)).toBe(outcome(byJsonParse, text));
        },
      ),
      { numRuns: 300 },
    );
  });
});

test("a byte-order mark is left aside, and places count it", () => {
  const read = parseJson('\uFEFF\n{"a": 1}');
  expect(read).toMatchObject({ root: { offset: 2, type: "object" } });
});

test.for<[string, number, string]>([
  ['{\n"a": 1,\n}', 3, "invalid JSON: property name expected"],
  ["[1\n2]", 2, "invalid JSON: comma expected"],
  ["", 1, "invalid JSON: value expected"],
  ["[".repeat(100_000), 1, "invalid JSON: nested deeper than 200 levels"],
])("%j is refused in line %i: %s", ([text, line, message]) =>
  expect(parseJson(text)).toMatchObject({ fault: { line, message } }),
);

test("of a key that is there twice the last one counts", () => {
  const read = parseJson('{"a": 1, "a": 2}');
  if ("fault" in read) throw new Error(read.fault.message);
  expect(memberOf(read.root, "a")).toMatchObject({ value: 2, offset: 14, length: 1 });
  expect(memberOf(read.root, "b")).toBeUndefined();
});

test("lines are counted from 1", () => {
  expect([0, 1, 2, 3].map((offset) => lineAt("a\nb\n", offset))).toEqual([1, 1, 2, 2]);
});
