/** Measures the nesting of a line of JSON without parsing it: parsing a megabyte of brackets takes a hundred megabytes of memory. */

/**
 * Whether `line`, if it is JSON, has more than `depthMax` arrays and objects around a value, or more than `countMax` in all.
 * Brackets in strings do not count.
 */
export function isNestedDeeper(line: string, depthMax: number, countMax = Infinity): boolean {
  if (line.length <= depthMax || !beginsAsJson(line)) return false;
  let depth = 0;
  let count = 0;
  let inString = false;
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (inString) {
      if (code === backslash) at += 1;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (code === openBrace || code === openBracket) {
      depth += 1;
      count += 1;
      if (depth > depthMax || count > countMax) return true;
    } else if (code === closeBrace || code === closeBracket) depth -= 1;
  }
  return false;
}

/** Uses no regular expression, since V8 keeps the last text that one matched, and a flood of long lines with it. */
function beginsAsJson(line: string): boolean {
  let at = 0;
  while (blanks.has(line.charCodeAt(at))) at += 1;
  const code = line.charCodeAt(at);
  return code === openBrace || code === openBracket;
}

/** Space, tab, carriage return. */
const blanks = new Set([32, 9, 13]);
const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 123, 125, 91, 93];
