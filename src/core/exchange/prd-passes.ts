/** Sets `passes` in prd.json for the stories whose issues are merged; every other byte stays. */
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

/** The new text and its changes. `merged` says whether a story's issue is merged; undefined if the story has no issue. */
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
    // A new member follows the layout of the last one: on its own line if that one is.
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
