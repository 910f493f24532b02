/** What the fuzzer's tests notice: `npm run torture -- --only fuzz`. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

const test = "test/torture/fuzz.test.ts";

const slow = [
  ...mutantsOf("src/core/weakening/command-names.ts", test, [
    ["blank lines of a Python file are read once", "/^[^\\S\\n]*(?:from", "/^\\s*(?:from"],
  ]),
  ...mutantsOf("src/agents/codex/dialogue.ts", test, [
    [
      "Codex's lines that are no object are not parsed",
      'if (!line.trimStart().startsWith("{")) return [];',
      "",
    ],
  ]),
];

export const fuzz: readonly Mutant[] = slow.map((row) => ({ ...row, title: "is read in time" }));
