/** The two escapes of a rendered handoff, which parsing removes: entries of dashes only, and headings in a post-mortem. */

/** An escaped first line if it has only dashes: "- " before it would make a rule instead of an item. */
export function escapeRule(text: string): string {
  return /^\\*-[-\s]*(?:\n|$)/.test(text) ? `\\${text}` : text;
}

export function unescapeRule(text: string): string {
  return /^\\+-[-\s]*(?:\n|$)/.test(text) ? text.slice(1) : text;
}

export function escapeProse(text: string): string {
  return text.replace(/^( {0,3})(?=\\*(?:#{1,2}(?:[ \t]|$)|<!--))/gm, "$1\\");
}

export function unescapeProse(text: string): string {
  return text.replace(/^( {0,3})\\(?=\\*(?:#{1,2}(?:[ \t]|$)|<!--))/gm, "$1");
}
