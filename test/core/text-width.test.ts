import * as fc from "fast-check";
import { expect, test } from "vitest";
import { padTo, widthOf, wrapTo } from "../../src/core/text-width.ts";

test.for<[string, number]>([
  ["abc", 3],
  ["登录", 4],
  ["ｆｕｌｌ", 8],
  ["한글", 4],
  ["かな", 4],
  ["🚀", 2],
  ["e\u0301", 1],
  ["…─", 2],
])("%s takes %i columns", ([text, width]) => expect(widthOf(text)).toBe(width));

test.for<[string, number, string]>([
  ["abc", 5, "abc  "],
  ["abcdef", 4, "abc…"],
  ["登录页", 4, "登… "],
  ["登录页", 6, "登录页"],
  ["x", 0, ""],
])("%s in %i columns", ([text, width, expected]) => expect(padTo(text, width)).toBe(expected));

test.for<[string, number, number, string[]]>([
  ["one two three", 7, 3, ["one two", "three"]],
  ["one two three", 7, 1, ["one tw…"]],
  ["登录页面需要", 5, 3, ["登录", "页面", "需要"]],
  ["averylongword here", 6, 2, ["averyl", "ongwo…"]],
  ["", 6, 2, []],
])("%s in lines of %i columns, at most %i", ([text, width, lines, expected]) =>
  expect(wrapTo(text, width, lines)).toEqual(expected),
);

test("no line is ever wider than it may be, and what is filled is exactly as wide", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", " ", "登", "🚀", "e\u0301", "\u0301", "ｆ", "한"),
    maxLength: 40,
  });
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 2, max: 30 }),
      fc.integer({ min: 1, max: 4 }),
      (it, width, linesMax) => {
        const lines = wrapTo(it, width, linesMax);
        expect(lines.length).toBeLessThanOrEqual(linesMax);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(widthOf(padTo(it, width))).toBe(width);
      },
    ),
  );
});
