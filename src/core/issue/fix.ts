/** Repairs the checkboxes of an issue's file; every other byte stays. */
import { lintIssue } from "./lint.ts";
import type { IssueFault } from "./lint.ts";

export type Fixed = { text: string; fixed: IssueFault[] };

/** A fix may reveal another fault; more rounds than this are never needed. */
const roundsMax = 4;

/** The text with all fixable faults fixed, and the list of them. An unreadable file is unchanged. */
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
