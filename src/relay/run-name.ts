/** The name of a run of commands: for log files always in English, for people in their language. */
import { t } from "../core/language/translate.ts";

export type RunName = { log: string; said: string };

export function runName(parts: TemplateStringsArray, ...values: readonly (string | number)[]): RunName {
  return { log: String.raw({ raw: parts }, ...values), said: t(parts, ...values) };
}
