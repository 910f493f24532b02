/** Slow readers that the fuzzer found: `npm run torture -w lab -- --only fuzz`. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const test = "lab/test/torture/fuzz.test.ts";

const slow = [
  ...mutantsOf("src/core/weakening/command-names.ts", test, [
    ["blank lines of a Python file are read once", "/^[^\\S\\r\\n]*(?:from", "/^\\s*(?:from"],
  ]),
  ...mutantsOf("src/core/text/markdown-blocks.ts", test, [
    [
      "a long Markdown text is read in pieces",
      "lines = pieceLines; place",
      "lines = pieceLines * 1_000; place",
    ],
  ]),
];

/** The fuzzer's bounds allow a parse error for each line; this test compares times. */
const lines = mutantsOf("src/core/error/attempt.ts", "test/core/error/attempt.test.ts", [
  ["what does not begin and end like JSON is not parsed", "return isLike ?", "return !isLike || isLike ?"],
]);

export const fuzz: readonly Mutant[] = [
  ...slow.map((row) => ({ ...row, title: "is read in time" })),
  ...lines,
];
