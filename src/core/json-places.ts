/** Where things stand in a JSON text: offsets of members and elements, for errors with lines and changes that keep every byte. */
import type { Fault } from "./fault.ts";
import { wordsOf } from "./error.ts";

export interface Member {
  key: string;
  /** Where the key's quotation mark stands. */
  keyStart: number;
  /** Where the value begins, and ends. */
  start: number;
  end: number;
}

/** The value of a JSON text, a BOM left aside; or what is wrong with it. */
export function parseJson(text: string): { value: unknown } | { fault: Fault } {
  const bom = text.startsWith("\uFEFF") ? 1 : 0;
  try {
    return { value: JSON.parse(text.slice(bom)) as unknown };
  } catch (error) {
    const message = wordsOf(error);
    const position = /position (\d+)/.exec(message)?.[1];
    const at = position === undefined ? text.length : Number(position) + bom;
    const says = message.replace(/ in JSON at position.*$/s, "").replace(/\s*\.\.\..*$/s, "");
    const fault = { line: lineAt(text, at), message: `it is no JSON: ${says}` };
    return {
      fault: { ...fault, hint: "mend it there; `node -e 'JSON.parse(…)'` or an editor shows the place" },
    };
  }
}

/** From 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** Where the value of the whole text begins. */
export function rootOf(text: string): number {
  return blanks(text, text.startsWith("\uFEFF") ? 1 : 0);
}

/** The members of the object that begins at `start`; none where something else begins there. The text is valid JSON. */
export function membersAt(text: string, start: number): Member[] {
  if (text[start] !== "{") return [];
  const found: Member[] = [];
  for (let at = blanks(text, start + 1); text[at] === '"';) {
    const keyEnd = endOf(text, at);
    const valueStart = blanks(text, blanks(text, keyEnd) + 1);
    const end = endOf(text, valueStart);
    found.push({ key: JSON.parse(text.slice(at, keyEnd)) as string, keyStart: at, start: valueStart, end });
    at = blanks(text, blanks(text, end) + 1);
  }
  return found;
}

/** Where the elements of the array that begins at `start` stand. */
export function elementsAt(text: string, start: number): { start: number; end: number }[] {
  if (text[start] !== "[") return [];
  const found: { start: number; end: number }[] = [];
  let at = blanks(text, start + 1);
  while (at < text.length && text[at] !== "]") {
    const end = endOf(text, at);
    found.push({ start: at, end });
    const comma = blanks(text, end);
    if (text[comma] !== ",") break;
    at = blanks(text, comma + 1);
  }
  return found;
}

function blanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && /[ \t\r\n]/.test(text[at]!)) at++;
  return at;
}

/** Where the value that begins at `start` ends; no recursion, so depth costs nothing. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
      if (depth === 0) return at + 1;
    } else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") {
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && /[,\s]/.test(char)) return at;
  }
  return text.length;
}
