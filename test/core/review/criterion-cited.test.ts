/** A criterion is recognized in all the spellings that people and agents use, and nothing else is taken for one. */
import { expect, test } from "vitest";
import { criteriaCited, criteriaNamedIn } from "../../../src/core/review/criterion-cited.ts";
import { citations } from "../citations.ts";

/** As many as the longest citation names, with words that no citation repeats. */
const criteria = Array.from({ length: 50 }, (_, index) => `Placeholder ${"x".repeat(index + 1)} holds`);

test.for(citations)("%j cites %j", ([text, numbers]) =>
  expect(criteriaCited(text, criteria)).toEqual(numbers),
);

test.for<[string, number[]]>([
  ["Acceptance criterion 1", [1]],
  ["criteria 1 and 2", [1, 2]],
  ["(1)", [1]],
  ["（1）", [1]],
  ["[1]", [1]],
  ["#2", [2]],
  ["C1", [1]],
  ["no. 1", [1]],
  ["Requirement 1", [1]],
  ["第1条", [1]],
  ["准则 1", [1]],
  ["Kriterium 1", [1]],
  ["AC2", [2]],
  ["Criterion 2: three in a row", [2]],
  ["3", []],
  ["0", []],
  ["", []],
  ["issue 1", []],
  ["line 2", []],
  ["step 2", []],
  ["section 2", []],
  ["exit status 1", []],
  ["version 1", []],
  ["C++", []],
  ["it is slow", []],
])("of two criteria %j cites %j", ([text, numbers]) =>
  expect(criteriaCited(text, criteria.slice(0, 2))).toEqual(numbers),
);

test.for<[string, number[]]>([
  ["a wrong password is refused", [1]],
  ["“Three in a row lock the account”", [2]],
  ["A  wrong\n  password is refused.", [1]],
  ["第 3 条路径返回 404", [3]],
  ["wrong password", [1]],
])("its own words are a citation, however they are spaced: %j", ([text, numbers]) =>
  expect(
    criteriaCited(text, [
      "A wrong password is refused",
      "Three in a row lock the account",
      "第3条路径返回404",
    ]),
  ).toEqual(numbers),
);

test.for<[string, number[]]>([
  ["AC2 is not met: the account is not locked", [2]],
  ["Violates criterion 1", [1]],
  ["2 tests fail", []],
  ["Requirement 1 of RFC 5322", []],
])("in a sentence only a named criterion counts: %j", ([text, numbers]) =>
  expect(criteriaNamedIn(text, criteria)).toEqual(numbers),
);

test("a hostile text takes no longer than any other", () => {
  const began = performance.now();
  for (const part of [", 1", "1, ", "criterion ", "(((", "1 - ", "and ", "1/1/", "第", "a ", "second a "])
    criteriaCited(`criterion ${part.repeat(700)}`, criteria);
  expect(performance.now() - began).toBeLessThan(1_000);
});
