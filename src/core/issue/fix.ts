/** Mends the checkboxes of an issue's file: every other byte stays. */
import { lintIssue } from "./lint.ts";
import type { IssueFault } from "./lint.ts";

export type Fixed = { text: string; fixed: IssueFault[] };

/** One fix may show another: after these rounds nothing new comes. */
const roundsMax = 4;

/** The text with the edits of all fixable faults, and these faults. A file that cannot be read comes back as it is. */
export function fixIssue(text: string, file: string): Fixed {
  const fixed: IssueFault[] = [];
  let mended = text;
  for (let round = 0; round < roundsMax; round++) {
    const fixable = lintIssue(mended, file).filter(({ fix }) => fix !== undefined);
    const edits = fixable.flatMap(({ fix }) => fix ?? []).toSorted((a, b) => b.start - a.start);
    for (const { start, end, text } of edits) mended = mended.slice(0, start) + text + mended.slice(end);
    fixed.push(...fixable);
  }
  return { text: mended, fixed };
}
