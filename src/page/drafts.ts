/** What a person has written and not sent. It survives updates of the page and a reload. */
import { effect, signal } from "@preact/signals";
import type { Signal } from "@preact/signals";

const drafts = new Map<string, Signal<string>>();
const prefix = "monoco-draft:";

export function draft(name: string): Signal<string> {
  const known = drafts.get(name);
  if (known) return known;
  const text = signal(localStorage.getItem(prefix + name) ?? "");
  drafts.set(name, text);
  effect(() => {
    if (text.value === "") localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, text.value);
  });
  return text;
}

/** The names of the drafts that begin so, written now or before. */
export function draftsOf(begin: string): string[] {
  const kept = Object.keys(localStorage).filter((name) => name.startsWith(prefix + begin));
  return kept.map((name) => name.slice(prefix.length)).sort();
}

/** The attributes of a field that shows and changes the text. */
export function bound(text: Signal<string>): {
  value: string;
  onInput(event: { currentTarget: { value: string } }): void;
} {
  return { value: text.value, onInput: ({ currentTarget }) => void (text.value = currentTarget.value) };
}
