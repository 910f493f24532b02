/** Unique keys for items: their own ids, or keys made of their text. */
import { circleThrough } from "../backlog/backlog.ts";
import type { Fault } from "../error/fault.ts";
import type { ImportItem } from "./import-item.ts";
import { slugOf } from "../issue/name.ts";
import { importItemsMax, slugCharsMax } from "../limits.ts";
import { t } from "../language/translate.ts";

/** The items, each with a key; or a fault: too many items, a repeated id, or a dependency that is unknown or circular. */
export function itemKeys(items: readonly ImportItem[]): { items: ImportItem[] } | { fault: Fault } {
  const over = items[importItemsMax];
  if (over) {
    const message = t`${items.length} items, more than ${importItemsMax}`;
    return { fault: { line: over.line, message, hint: t`import it in parts, or take out what is done` } };
  }
  const titleKeys = wordKeys(items.map((item) => item.title));
  const keyed = items.map((item, index) => ({ ...item, key: item.key || titleKeys[index]! }));
  const lines = new Map<string, number>();
  for (const { key, line } of keyed) {
    const before = lines.get(key);
    if (before !== undefined) {
      const message = t`the id ${key} stands twice, here and on line ${before}`;
      return { fault: { line, message, hint: t`give each an id of its own: issues are known by it` } };
    }
    lines.set(key, line);
  }
  const keys = new Set(keyed.map(({ key }) => key));
  for (const { key, line, dependencies } of keyed) {
    const missing = dependencies.find((other) => !keys.has(other));
    if (missing === undefined) continue;
    const message = t`${key} depends on ${missing}, which is not there`;
    return { fault: { line, message, hint: t`name the id of another item of this source, or take it out` } };
  }
  const works = new Map(
    keyed.map(({ key, dependencies, done }) => {
      const parts = keyed.filter((part) => part.parent === key).map((part) => part.key);
      return [key, { stands: done ? "done" : "open", needs: [...dependencies, ...parts] }] as const;
    }),
  );
  const circle = keyed.map(({ key }) => circleThrough(works, key)).find((path) => path !== undefined);
  if (!circle) return { items: keyed };
  const message = t`these wait for each other: ${circle.join(" → ")}`;
  const line = keyed.find(({ key }) => key === circle[0])!.line;
  return { fault: { line, message, hint: t`take one of them out of the other's dependencies` } };
}

/** A key for each text, independent of its position; a repeated text gets `-2`. */
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

/** FNV-1a of the text in eight hexadecimal digits; it tells apart long titles with the same beginning. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}
