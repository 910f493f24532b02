/** Carries entries from one handoff to the next until they are struck out, and drops the oldest when a handoff gets too long. */
import type { Handoff } from "./handoff.ts";
import { renderHandoff } from "./render.ts";
import { bytesOf } from "../text/bytes.ts";
import { oneLine } from "../text/one-line.ts";
import type { Language } from "../language/handoff-words.ts";

/**
 * Puts the decisions, warnings and patterns of the previous handoff before those of the next one, except those that the next one
 * repeats or strikes out (`~~words~~ reason`, with the whole entry or at least four characters of it). Entries that
 * the previous handoff struck out are dropped: they have been read once.
 */
export function carryOver(previous: Handoff | undefined, next: Handoff): Handoff {
  if (!previous) return next;
  return {
    ...next,
    decisions: carried(previous.decisions, next.decisions),
    warnings: carried(previous.warnings, next.warnings),
    patterns: carried(previous.patterns, next.patterns),
  };
}

/** `previous` without what `next` repeats or strikes out, then `next`. */
export function carried(previous: readonly string[], next: readonly string[]): string[] {
  const repeated = new Set(next.map(bare));
  const struck = next.flatMap((text) =>
    [...text.matchAll(/~~([\s\S]+?)~~/g)].map((match) => bare(match[1] ?? "")),
  );
  const isStruck = (text: string): boolean =>
    struck.some(
      (part) =>
        part !== "" && (part === text || part.includes(text) || (part.length >= 4 && text.includes(part))),
    );
  const kept = previous.filter((text) => {
    const plain = bare(text);
    return plain !== "" && !plain.startsWith("~~") && !repeated.has(plain) && !isStruck(plain);
  });
  return [...kept, ...next];
}

/** An entry's text with spaces normalised and the warning sign removed. */
export function bare(text: string): string {
  return oneLine(text.replace(/^\s*(?:⚠\uFE0F?\s*)+/u, ""));
}

/**
 * Drops the oldest entries until the rendering fits: patterns, then decisions, then warnings, then done items. Next steps
 * are never dropped; a handoff that is too long for them alone stays too long.
 */
export function fitHandoff(
  handoff: Handoff,
  language: Language,
  budgetBytes: number,
): { handoff: Handoff; dropped: string[] } {
  const { patterns, decisions, warnings, done } = handoff;
  const oldestFirst = [...patterns, ...decisions, ...warnings, ...done.map((item) => item.text)];
  const without = (count: number): Handoff => {
    const [ofPatterns, ofDecisions, ofWarnings, ofDone] = shares(count, [
      patterns,
      decisions,
      warnings,
      done,
    ]);
    return {
      ...handoff,
      patterns: patterns.slice(ofPatterns),
      decisions: decisions.slice(ofDecisions),
      warnings: warnings.slice(ofWarnings),
      done: done.slice(ofDone),
    };
  };
  // Each dropped entry makes the handoff shorter, so a binary search finds the least number.
  let fewest = 0;
  let most = oldestFirst.length;
  while (fewest < most) {
    const middle = Math.floor((fewest + most) / 2);
    if (bytesOf(renderHandoff(without(middle), language)) <= budgetBytes) most = middle;
    else fewest = middle + 1;
  }
  return { handoff: without(fewest), dropped: oldestFirst.slice(0, fewest) };
}

/** How many of `count` entries each list loses, one list after the other. */
function shares(count: number, lists: readonly (readonly unknown[])[]): number[] {
  let left = count;
  return lists.map((list) => {
    const share = Math.min(left, list.length);
    left -= share;
    return share;
  });
}
