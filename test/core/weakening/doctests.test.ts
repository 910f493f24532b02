/** Examples in the documentation of a source that follow the code. */
import { expect, test } from "vitest";
import { changedExamples } from "../../../src/core/weakening/doctests.ts";

const total = (expected: string): string =>
  `def total(prices):\n    """\n    >>> total([1,\n    ...   2])\n    ${expected}\n\n    It adds up.\n    """\n    return sum(prices)\n`;

test.for<[string, string, string, ReturnType<typeof changedExamples>]>([
  ["the same", total("3"), `import x\n\n${total("3")}`, []],
  [
    "another expected value",
    total("3"),
    total("4"),
    [{ file: "a.py", line: 3, kind: "expectation", text: ">>> total([1, 2]): 3 → 4" }],
  ],
  [
    "one that is gone",
    total("3"),
    "def total(prices):\n    return 1\n",
    [{ file: "a.py", kind: "tests removed", text: "- >>> total([1, 2])" }],
  ],
  ["one that is new", "", total("3"), []],
  ["words around it", total("3"), total("3").replace("It adds up.", "It sums."), []],
])("%s", ([, before, after, found]) => expect(changedExamples("a.py", before, after)).toEqual(found));
