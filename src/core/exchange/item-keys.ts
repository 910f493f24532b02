/** Keys of items that must tell them apart: their own ids, or what their words make. */
import type { Fault } from "../error/fault.ts";
import type { ImportItem } from "./import-item.ts";
import { slugOf } from "../issue/name.ts";
import { slugCharsMax } from "../limits.ts";
import { t } from "../language/translate.ts";

/** The items, each with a key; a fault for an id that stands twice, and for dependencies that lead nowhere or in a circle. */
export function itemKeys(items: readonly ImportItem[]): { items: ImportItem[] } | { fault: Fault } {
  const words = wordKeys(items.map((item) => item.title));
  const keyed = items.map((item, index) => ({ ...item, key: item.key || words[index]! }));
  const lines = new Map<string, number>();
  for (const { key, line } of keyed) {
    const before = lines.get(key);
    if (before !== undefined) {
      const message = t`the id ${key} stands twice, here and on line ${before}`;
      return { fault: { line, message, hint: t`give each an id of its own: issues are known by it` } };
    }
    lines.set(key, line);
  }
  const known = new Set(keyed.map(({ key }) => key));
  for (const { key, line, dependencies } of keyed) {
    const missing = dependencies.find((other) => !known.has(other));
    if (missing === undefined) continue;
    const message = t`${key} depends on ${missing}, which is not there`;
    return { fault: { line, message, hint: t`name the id of another item of this source, or take it out` } };
  }
  const circle = circleIn(keyed);
  if (!circle) return { items: keyed };
  const message = t`these wait for each other: ${circle.join(" → ")}`;
  const line = keyed.find(({ key }) => key === circle[0])!.line;
  return { fault: { line, message, hint: t`take one of them out of the other's dependencies` } };
}

/** The keys of a circle of dependencies, its first again at the end; undefined where there is none. */
function circleIn(items: readonly ImportItem[]): string[] | undefined {
  const of = new Map(items.map((item) => [item.key, item]));
  const clear = new Set<string>();
  const follow = (key: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(key)) return [...path.slice(path.indexOf(key)), key];
    if (clear.has(key)) return undefined;
    for (const other of of.get(key)?.dependencies ?? []) {
      const found = follow(other, [...path, key]);
      if (found) return found;
    }
    clear.add(key);
    return undefined;
  };
  for (const { key } of items) {
    const found = follow(key, []);
    if (found) return found;
  }
  return undefined;
}

/** A key for each text, made of its words: the same text keeps its key wherever it moves; a second of the same gets `-2`. */
export function wordKeys(texts: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return texts.map((text) => {
    const slug = slugOf(text);
    const whole = Array.from(slug).length < slugCharsMax && slug !== "untitled";
    const key = whole ? slug : `${slug}-${fingerprint(text)}`;
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    return nth === 1 ? key : `${key}-${nth}`;
  });
}

/** FNV-1a of the text, in eight hexadecimal digits: it tells long titles apart that begin alike. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}
