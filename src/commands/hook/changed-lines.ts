/** The changed lines between two texts that differ in one stretch. */

export type ChangedLine = { sign: "+" | "-"; text: string };

export function changedLines(before: string, after: string): ChangedLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const shared = Math.min(old.length, now.length);
  let top = 0;
  while (top < shared && old[top] === now[top]) top += 1;
  let end = 0;
  while (end < shared - top && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const of = (sign: "+" | "-", lines: string[]): ChangedLine[] =>
    lines.slice(top, lines.length - end).map((text) => ({ sign, text }));
  return [...of("-", old), ...of("+", now)];
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}
