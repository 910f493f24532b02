/** Which lines of an answer are the agent's own last word: not what it quotes, announces, or shows as an example. */
import { announcements } from "./phrases.ts";

/** `fence` is its first line's language, where the line is inside of one. */
export type SpokenLine = { text: string; own: boolean; fenced: boolean };

/** A language of a fence in which nobody says anything of their own. */
const shown = /^(?:diff|patch|log|console|sh|shell|bash|ts|js|py|python|go|rust)\b/i;
/** More of its own words than these behind a fence, and the fence is not its last word. */
const closingCharsMax = 300;

/** The lines of a text, each with whether the agent says it itself. */
export function spokenLines(text: string): SpokenLine[] {
  const lines = text.split(/\r\n|\r|\n/);
  const spoken: SpokenLine[] = [];
  let announced = false;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    const fence = /^\s*(`{3,}|~{3,})\s*(\S*)/.exec(line);
    if (!fence) {
      // A block that an announcement leads to is announced to its end.
      if (line.trim() !== "") announced = isAnnouncement(line) || (announced && isOfBlock(line));
      spoken.push({ text: line, own: !announced && !isQuoted(line), fenced: false });
      continue;
    }
    const end = lines.findIndex((later, at) => at > index && later.trim().startsWith(fence[1]!));
    const last = end < 0 ? lines.length : end;
    const inside = lines.slice(index + 1, last);
    const rest = lines
      .slice(last + 1)
      .join("\n")
      .trim();
    const own = !announced && !shown.test(fence[2]!) && rest.length <= closingCharsMax && isWhole(inside);
    spoken.push({ text: line, own: false, fenced: true });
    for (const text of inside) spoken.push({ text, own, fenced: true });
    if (end >= 0) spoken.push({ text: lines[last]!, own: false, fenced: true });
    announced = false;
    index = last;
  }
  return spoken;
}

/** A fence with nothing but a block in it: what begins with other lines is a log, a listing or a diff. */
function isWhole(lines: readonly string[]): boolean {
  const first = lines.find((line) => line.trim() !== "") ?? "";
  return /RALPH_STATUS/i.test(first) || /^\s*\{/.test(first);
}

function isOfBlock(line: string): boolean {
  return /RALPH_STATUS/i.test(line) || /^[\s|*`"{}-]*(?:[A-Z][A-Z_ ]{2,40}["*`]*\s*[:：=|].*)?$/.test(line);
}

/** A quotation, a line of a diff, or an indented listing. */
function isQuoted(line: string): boolean {
  return /^\s*>|^[-+][^\s-]|^(?: {4}|\t)/.test(line);
}

/** What stands before a colon, in its last sentence, or on a line of its own in bold or as a heading. */
function isAnnouncement(line: string): boolean {
  const label = /^\s*(?:#{1,6} |\*\*)/.test(line);
  const leads = /[:：]\s*(?:\*+\s*)?$/.test(line);
  if (!label && !leads) return false;
  const sentence = line.split(/(?<=[.!?。！？；;])\s+/).findLast((part) => part.trim() !== "") ?? "";
  return announcements.some((pattern) => pattern.test(sentence));
}
