import * as fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import wrapAnsi from "wrap-ansi";
import { cutTo, padTo, widthOf, wrapTo } from "../../src/views/columns.ts";

test.for<[string, number]>([
  ["abc", 3],
  ["登录", 4],
  ["ｆｕｌｌ", 8],
  ["한글", 4],
  ["かな", 4],
  ["🚀", 2],
  ["👨‍👩‍👧", 2],
  ["e\u0301", 1],
  ["a\u200bb", 2],
  ["…─", 2],
])("%s takes %i columns", ([text, width]) => {
  expect(padTo(text, width)).toBe(text);
  expect(padTo(text, width + 1)).toBe(`${text} `);
});

test.for<[string, number, number, string[]]>([
  ["one two three", 7, 3, ["one two", "three"]],
  ["one two three", 7, 1, ["one tw…"]],
  ["one two three four", 7, 2, ["one two", "three…"]],
  ["登录页面需要", 5, 3, ["登录", "页面", "需要"]],
  ["登录页面", 4, 1, ["登…"]],
  ["averylongword here", 6, 2, ["averyl", "ongwo…"]],
  ["👨‍👩‍👧👨‍👩‍👧", 2, 2, ["👨‍👩‍👧", "👨‍👩‍👧"]],
  ["two words", 1, 1, ["…"]],
  ["", 6, 2, []],
])("%s in lines of %i columns, at most %i", ([text, width, lines, expected]) =>
  expect(wrapTo(text, width, lines)).toEqual(expected),
);

test("lines of narrow signs alone, which take a short road, come out as the packages have them", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "b", " ", "…", "→", "·", "×", "–", "—", "≤"),
    maxLength: 40,
  });
  fc.assert(
    fc.property(text, widths, (line, width) => {
      expect(widthOf(line)).toBe(stringWidth(line));
      const cut = wrapAnsi(line, Math.max(1, width - 1), { hard: true, wordWrap: false }).split("\n")[0]!;
      expect(cutTo(line, width)).toBe(line.length <= width ? line : `${cut}…`);
      const wrapped = wrapAnsi(line, width, { hard: true }).split("\n");
      expect(wrapTo(line, width, 100)).toEqual(line.trim() === "" ? [] : wrapped);
    }),
  );
});

const signs = ["a", " ", "登", "🚀", "👨‍👩‍👧", "e\u0301", "ｆ", "한"];
const widths = fc.integer({ min: 2, max: 30 });

test("no line is ever wider than it may be", () => {
  const text = fc.string({ unit: fc.constantFrom(...signs, "\u0301", "\t"), maxLength: 40 });
  fc.assert(
    fc.property(text, widths, fc.integer({ min: 1, max: 4 }), (it, width, linesMax) => {
      const lines = wrapTo(it, width, linesMax);
      expect(lines.length).toBeLessThanOrEqual(linesMax);
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    }),
  );
});

test("no sign is lost where there are lines enough", () => {
  const text = fc.string({ unit: fc.constantFrom(...signs), maxLength: 40 });
  fc.assert(
    fc.property(text, widths, (it, width) => {
      expect(wrapTo(it, width, 100).join("").replaceAll(" ", "")).toBe(it.normalize().replaceAll(" ", ""));
    }),
  );
});
