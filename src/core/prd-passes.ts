/** Writes `passes` into prd.json: of the stories that are issues, what is merged; every other byte stays. */
import { membersAt } from "./json-places.ts";
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
  let done = "";
  let at = 0;
  for (const { item, start } of stories) {
    const to = merged(item.key);
    const members = membersAt(text, start);
    const member = members.findLast(({ key }) => key === "passes");
    const from = member !== undefined && /^"?true"?$/.test(text.slice(member.start, member.end));
    const last = members.at(-1);
    if (to === undefined || to === from || !last) continue;
    changes.push({ key: item.key, title: item.title, line: item.line, from, to });
    if (member) {
      done += text.slice(at, member.start) + String(to);
      at = member.end;
    } else {
      // A new member stands as the last one does: on a line of its own where that has one.
      const gap = blanksBefore(text, last.keyStart);
      done += `${text.slice(at, last.end)},${gap}"passes": ${to}`;
      at = last.end;
    }
  }
  return { text: done + text.slice(at), changes };
}

function blanksBefore(text: string, end: number): string {
  let start = end;
  while (start > 0 && /\s/.test(text[start - 1]!)) start--;
  return text.slice(start, end);
}
