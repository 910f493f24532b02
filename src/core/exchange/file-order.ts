/** The order of a file as dependencies: an item waits for those before it, but for those that may run beside each other. */
import type { ImportItem } from "./import-item.ts";

export type Place = {
  /** An item waits for all of the phase before. */
  phase: string;
  /** It waits for no other item of its phase. */
  isParallel: boolean;
};

/** The items with their dependencies; `places` are theirs, in the same order. */
export function inFileOrder(items: readonly ImportItem[], places: readonly Place[]): ImportItem[] {
  let phase: string | undefined;
  /** The keys that the phase waits for, and those that the next item of it waits for. */
  let before: string[] = [];
  let last: string[] = [];
  return items.map((item, index) => {
    const place = places[index]!;
    if (place.phase !== phase) before = last;
    phase = place.phase;
    const dependencies = place.isParallel ? before : last;
    last = place.isParallel && last !== before ? [...last, item.key] : [item.key];
    return { ...item, dependencies, inOrder: true as const };
  });
}
