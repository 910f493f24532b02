/** The two escapes of a rendered handoff, which parsing takes away: entries of dashes, and headings in a post-mortem. */

/** "- " before a first line of dashes only would be a rule and no item. */
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
