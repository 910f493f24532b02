/** Whether tests assert on other values than before, whatever names they use: what a renamed function hides from a crossing. */
import type { FileDiff } from "../text/diff.ts";
import { sourceDiff } from "./code-diff.ts";
import type { CodeLine, SourceBlock, SourceDiff } from "./code-diff.ts";
import { testCases } from "./test-cases.ts";

/** True where one place of a test loses a number or a text that was an input or an expected value. */
export function assertsOtherValues(diff: readonly FileDiff[]): boolean {
  return diff
    .map((one) => sourceDiff(one, new Set()))
    .filter(({ file, was, diff: { change } }) => change === "changed" && file.test && was.test)
    .some((read) => read.blocks.some((block) => losesValues(read, block)));
}

function losesValues(read: SourceDiff, { removed, added }: SourceBlock): boolean {
  const left = added.flatMap((line) => valuesOf(read, line));
  return removed
    .flatMap((line) => valuesOf(read, line))
    .some((value) => {
      const at = left.indexOf(value);
      if (at !== -1) left.splice(at, 1);
      return at === -1;
    });
}

/** Values stand in tables and in variables, too: only comments, imports and the names of test cases hold none. */
function valuesOf({ file }: SourceDiff, { code, text }: CodeLine): string[] {
  const titles = testCases[file.language];
  if (code.trim() === "" || imports.test(text) || (titles && code.search(titles) !== -1)) return [];
  return text.match(/(["'`])(?:\\.|(?!\1)[^\\])*\1|(?<![\w$])-?\d[\d_]*(?:\.\d+)?/g) ?? [];
}

const imports =
  /^\s*(?:import|from|use|using|source|\.|@?require\w*|#include)\b|\b(?:require|import|from)\b\s*(?:\(\s*)?["'`]/;
