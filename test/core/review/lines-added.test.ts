/** Which added lines can be evidence that something is written down. */
import { expect, test } from "vitest";
import { linesAdded } from "../../../src/core/review/lines-added.ts";
import { readDiff } from "../../../src/core/text/diff.ts";

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

test.for<[string, string[], string[], number[]]>([
  ["a new line is", [], ["Discounts are shares."], [1]],
  ["another word is", ["It sells."], ["It buys."], [1]],
  ["a word less is", ["It is not sold."], ["It is sold."], [1]],
  ["a word of a language without spaces is", ["折扣是份额"], ["折扣不是份额"], [1]],
  ["an empty line is not", [], ["", "  "], []],
  ["a space is not", ["It sells."], ["It sells. "], []],
  ["a mark is not", ["- It sells"], ["* It sells!", "---"], []],
  ["a line that is wrapped anew is not", ["It sells, and it", "buys."], ["It sells,", "and it buys."], []],
])("%s", ([, removed, added, lines]) => {
  const found = linesAdded(readDiff(diffOf("a.md", removed, added)), "issues/FEAT-0001.md");
  expect([...found.get("a.md")!.keys()]).toEqual(lines);
});

test("the issue's own file is none: a ticked box is not the work", () => {
  const diff = readDiff(diffOf("issues/FEAT-0001.md", ["- [ ] it works"], ["- [x] it works"]));
  expect(linesAdded(diff, "issues/FEAT-0001.md")).toEqual(new Map());
});
