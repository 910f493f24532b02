/** Translates monoco's messages. The English text in the code is the key into a catalogue. */

import type { Language } from "./handoff-words.ts";

export const languages: readonly Language[] = ["en", "zh"];

/** Translations by English text, with the values `{0}`, `{1}`, … in any order. */
export type Catalogue = Readonly<Record<string, string>>;

/** A value in a template. */
type Value = string | number | bigint | boolean | null | undefined;

/** Finds the catalogue of the running command (undefined means English), and the minutes that its clock is ahead of UTC at a time. */
type Reader = { catalogue(): Catalogue | undefined; minutesAhead(ms: number): number };

let reader: Reader = { catalogue: () => undefined, minutesAhead: () => 0 };

/** Sets, once per process, for whom texts are made. */
export function speakTo(one: Reader): void {
  reader = one;
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
  return inEnglishNow ? undefined : reader.catalogue();
}

/** Minutes that the reader's clock is ahead of UTC at a time; 0 in texts that others read, too. */
export function minutesAhead(ms: number): number {
  return inEnglishNow ? 0 : reader.minutesAhead(ms);
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
