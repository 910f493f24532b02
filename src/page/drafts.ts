/** What a person has written and not sent. It survives updates of the page and a reload. */
import { effect, signal } from "@preact/signals";
import type { Signal } from "@preact/signals";

const drafts = new Map<string, Signal<string>>();
const prefix = "monoco-draft:";

/** The names of the drafts that have a text. */
export const written = signal<readonly string[]>(
  Object.keys(localStorage).flatMap((key) => (key.startsWith(prefix) ? key.slice(prefix.length) : [])),
);

export function draft(name: string): Signal<string> {
  const known = drafts.get(name);
  if (known) return known;
  const text = signal(localStorage.getItem(prefix + name) ?? "");
  drafts.set(name, text);
  effect(() => {
    if (text.value === "") localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, text.value);
    const others = written.peek().filter((other) => other !== name);
    const names = text.value === "" ? others : [...others, name];
    if (names.length !== written.peek().length) written.value = names;
  });
  return text;
}

/** How to empty these texts once they are sent: what a person has changed since stays. */
export function forgetting(texts: readonly Signal<string>[]): () => void {
  const sent = texts.map((text) => [text, text.value] as const);
  return () => {
    for (const [text, value] of sent) if (text.value === value) text.value = "";
  };
}

/** The attributes of a field that shows and changes the text. */
export function bound(text: Signal<string>): {
  value: string;
  onInput(event: { currentTarget: { value: string } }): void;
} {
  return { value: text.value, onInput: ({ currentTarget }) => void (text.value = currentTarget.value) };
}
