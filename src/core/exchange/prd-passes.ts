/** Writes `passes` into prd.json: of the stories that are issues, what is merged; every other byte stays. */
import { applyEdits } from "jsonc-parser";
import type { Edit } from "jsonc-parser";
import { memberOf } from "./json-places.ts";
import type { Story } from "./prd.ts";

export interface PassesChange {
  key: string;
  title: string;
  line: number;
  from: boolean;
  to: boolean;
}

/** The new text, and what changed in it. `merged` tells of a story's key whether its issue is; undefined where it has none. */
export function writePasses(
  text: string,
  stories: readonly Story[],
  merged: (key: string) => boolean | undefined,
): { text: string; changes: PassesChange[] } {
  const changes: PassesChange[] = [];
  const edits: Edit[] = [];
  for (const { item, node } of stories) {
    const to = merged(item.key);
    const passes = memberOf(node, "passes");
    const from = passes?.value === true;
    const last = node.children?.at(-1);
    if (to === undefined || to === from || !last) continue;
    changes.push({ key: item.key, title: item.title, line: item.line, from, to });
    // A new member is placed as the last one is: on a line of its own where that has one.
    if (passes) edits.push({ offset: passes.offset, length: passes.length, content: String(to) });
    else {
      const content = `,${blanksBefore(text, last.offset)}"passes": ${to}`;
      edits.push({ offset: last.offset + last.length, length: 0, content });
    }
  }
  return { text: applyEdits(text, edits), changes };
}

function blanksBefore(text: string, end: number): string {
  let start = end;
  while (start > 0 && /\s/.test(text[start - 1]!)) start--;
  return text.slice(start, end);
}
