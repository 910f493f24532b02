/** Fixes what is mechanical and safe in an issue's file: every byte that it was not about stays. */
import type { FrontMatterChanges } from "../text/front-matter-edit.ts";
import { editFrontMatter } from "../text/front-matter-edit.ts";
import { MonocoError } from "../error/error.ts";
import { lintIssue } from "./lint.ts";
import type { Around, IssueFault } from "./lint.ts";

export type Fixed = { text: string; fixed: IssueFault[] };

/** One fix may show another: after these rounds nothing new comes. */
const roundsMax = 4;

/** The fixed text, and what was fixed in it. A file that cannot be read comes back as it is. */
export function fixIssue(text: string, file: string, around: Around = {}): Fixed {
  const fixed: IssueFault[] = [];
  let now = text;
  for (let round = 0; round < roundsMax; round++) {
    const fixable = lintIssue(now, file, around).filter(({ fix }) => fix !== undefined);
    const next = apply(now, fixable, file);
    if (next === now) break;
    fixed.push(...fixable);
    now = next;
  }
  return { text: now, fixed };
}

function apply(text: string, faults: readonly IssueFault[], file: string): string {
  const fixes = faults.flatMap(({ fix }) => fix ?? []);
  const edits = fixes.flatMap((fix) => ("edits" in fix ? fix.edits : []));
  const front: FrontMatterChanges = Object.assign(
    {},
    ...fixes.map((fix) => ("front" in fix ? fix.front : {})),
  );
  const last = edits.toSorted((a, b) => b.start - a.start);
  const body = last.reduce((now, { start, end, text }) => now.slice(0, start) + text + now.slice(end), text);
  if (Object.keys(front).length === 0) return body;
  try {
    return editFrontMatter(body, front, file);
  } catch (error) {
    // Front matter that cannot be changed byte for byte is left to a person, and lint says so.
    if (error instanceof MonocoError) return text;
    throw error;
  }
}
