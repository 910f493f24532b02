/** What a run of commands is called: in the names of its logs, always in English, and to a person. */
import { t } from "../core/language/translate.ts";

export type RunName = { log: string; said: string };

export function named(parts: TemplateStringsArray, ...values: readonly (string | number)[]): RunName {
  return { log: String.raw({ raw: parts }, ...values), said: t(parts, ...values) };
}
