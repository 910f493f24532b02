/** The overview as JSON: each item with its reason in words, and the commands that deal with it. */
import type { RelayState } from "../../core/journal/relay-state.ts";
import type { Item } from "../../core/overview/item.ts";
import type { Overview } from "../../core/overview/overview.ts";
import { commandsOf } from "../hint.ts";
import { whyWords } from "../inbox.ts";

export type ItemJson = Omit<Item, "hint" | "why"> & {
  because: string;
  rule: string | null;
  commands: string[];
};

export function overviewJson(
  overview: Overview,
  states: ReadonlyMap<string, RelayState>,
): Omit<Overview, "items"> & { items: ItemJson[] } {
  const items = overview.items.map(({ hint, why, ...item }) => ({
    ...item,
    because: whyWords(why),
    rule: "rule" in why ? why.rule : null,
    commands: hint.flat().flatMap((step) => commandsOf(step, { ...states.get(item.id), issue: item.id })),
  }));
  return { ...overview, items };
}
