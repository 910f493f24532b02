/** Translates monoco's messages. The English text in the code is the key into a catalogue. */

import type { Language } from "./handoff-words.ts";

/** Translations by English text, with the values `{0}`, `{1}`, … in any order. */
export type Catalogue = Readonly<Record<string, string>>;

/** A value in a template. */
type Value = string | number | bigint | boolean | null | undefined;

let spoken: () => Catalogue | undefined = () => undefined;

/** Sets, once per process, how to find the catalogue of the running command; undefined means English. */
export function speakBy(catalogue: typeof spoken): void {
  spoken = catalogue;
}

let inEnglishNow = false;

/** Evaluates `text` in English whatever the language: for texts that others read, too, such as commit messages and pages on GitHub. */
export function inEnglish<T>(text: () => T): T {
  const before = inEnglishNow;
  inEnglishNow = true;
  try {
    return text();
  } finally {
    inEnglishNow = before;
  }
}

function catalogueNow(): Catalogue | undefined {
  return inEnglishNow ? undefined : spoken();
}

/** The current language, for texts that exist in both. */
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

/** The translation of a constant: one marked by `translatable`, or a text of a command or a setting. */
export function translated(text: string): string {
  return catalogueNow()?.[text] ?? text;
}

/** Marks all texts in a constant for `translated`; constants are made before the language is known. */
export function translatable<const T>(texts: T): T {
  return texts;
}

/** The catalogue key of a template. */
function keyOf(parts: readonly string[]): string {
  return parts.reduce((key, part, index) => `${key}{${index - 1}}${part}`);
}
