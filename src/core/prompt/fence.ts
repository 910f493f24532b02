/** Fences text of others, which marks it as data. */

/** A fence longer than any run of backticks in the text, so that the text cannot end it. */
export function fence(text: string): string {
  let longest = 2;
  for (const [marks] of text.matchAll(/`+/g)) longest = Math.max(longest, marks.length);
  const marks = "`".repeat(longest + 1);
  return `${marks}data\n${text.replace(/(?<!\n)\n+$/, "")}\n${marks}`;
}

/** A code span with more backticks around the text than the text has in a row. The text has no blank line, which would end it. */
export function codeSpan(text: string): string {
  const marks = "`".repeat(1 + Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)));
  const gap = marks.length > 1 ? " " : "";
  return `${marks}${gap}${text}${gap}${marks}`;
}
