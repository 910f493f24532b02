/** A text on one line of at most `charsMax` characters: every run of whitespace becomes one blank. */
export function oneLine(text: string, charsMax = Infinity): string {
  return text.replace(/\s+/g, " ").trim().slice(0, charsMax);
}
