import { expect, test } from "vitest";
import { tableLines } from "../../src/views/table.ts";

test("a column is as wide as its widest cell; the last cell of a row is as long as it is", () => {
  const rows = [
    ["a", "bb", "the last one"],
    ["aaa", "b", "x"],
    ["one alone that is long"],
    [{ text: "aa", tone: "plain" as const }, "", ""],
  ];
  expect(tableLines(rows)).toEqual(["a    bb  the last one", "aaa  b   x", "one alone that is long", "aa"]);
});

test("Chinese takes two columns where the width is a terminal's", () => {
  expect(
    tableLines([
      ["登录", "x"],
      ["abc", "y"],
    ]),
  ).toEqual(["登录  x", "abc   y"]);
});

test("no rows make no lines", () => expect(tableLines([])).toEqual([]));
