/** What the fuzzer's tests notice: `npm run torture -- --only fuzz`. */
import { mutantsOf } from "./row.ts";
import type { Mutant } from "./row.ts";

export const fuzz: readonly Mutant[] = mutantsOf(
  "src/core/weakening/command-names.ts",
  "test/torture/fuzz.test.ts",
  [["blank lines of a Python file are read once", "/^[^\\S\\n]*(?:from", "/^\\s*(?:from"]],
).map((row) => ({ ...row, title: "is read in time" }));
