/** What others wrote, marked as data. */

/** A fence longer than any run of backticks inside: nothing in the text can end it. */
export function fence(text: string): string {
  let longest = 2;
  for (const [marks] of text.matchAll(/`+/g)) longest = Math.max(longest, marks.length);
  const marks = "`".repeat(longest + 1);
  return `${marks}data\n${text.replace(/(?<!\n)\n+$/, "")}\n${marks}`;
}
