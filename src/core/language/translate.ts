/** Translates what monoco prints. The code contains the English text, which is the key of each translation in a catalogue. */

import type { Language } from "./handoff-words.ts";

/** By the English, with `{0}`, `{1}`, … for its values: the same in another language, in any order. */
export type Catalogue = Readonly<Record<string, string>>;

/** As a template takes them. */
type Value = string | number | bigint | boolean | null | undefined;

let spoken: () => Catalogue | undefined = () => undefined;

/** Says, once in a process, how to find the catalogue of the command that asks; none is English. */
export function speakBy(catalogue: typeof spoken): void {
  spoken = catalogue;
}

let inEnglishNow = false;

/** What others read, too, is in English whatever is spoken here: a commit's message, a page on GitHub. */
export function inEnglish<T>(words: () => T): T {
  const before = inEnglishNow;
  inEnglishNow = true;
  try {
    return words();
  } finally {
    inEnglishNow = before;
  }
}

function catalogueNow(): Catalogue | undefined {
  return inEnglishNow ? undefined : spoken();
}

/** For texts that are kept in both languages. */
export function languageSpoken(): Language {
  return catalogueNow() ? "zh" : "en";
}

/** A sentence with values: ``t`merged as ${commit}` `` has the key `merged as {0}`. */
export function t(parts: TemplateStringsArray, ...values: readonly Value[]): string {
  const catalogue = catalogueNow();
  const filled = (index: number): string => String(values[index]);
  if (!catalogue) return String.raw({ raw: parts }, ...values);
  const key = keyOf(parts);
  return (catalogue[key] ?? key).replaceAll(/\{(\d+)\}/g, (_, index: string) => filled(Number(index)));
}

/** A sentence that is data: one of those that `translatable` marks, or the words of a command or a setting. */
export function translated(text: string): string {
  return catalogueNow()?.[text] ?? text;
}

/** Marks all texts in a constant as sentences that `translated` will be asked for. A constant is made before a language is known. */
export function translatable<const T>(texts: T): T {
  return texts;
}

/** The key of a template in a catalogue. */
function keyOf(parts: readonly string[]): string {
  return parts.reduce((key, part, index) => `${key}{${index - 1}}${part}`);
}
