/** A text on one line: every run of whitespace becomes one blank. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
