/** Judges a check that failed; separate from its schema, for callers that do not load zod. */
import { hidesWords } from "../home/home-files.ts";
import { t } from "../language/translate.ts";
import { seconds } from "../text/figures.ts";
import type { CheckResult } from "./check-result.ts";

/** What a failed check is about: its failing tests, else the last line of its output. */
export function failureWords({ command, failing = [], last }: CheckResult): string {
  const more = failing.length > 3 ? ", …" : "";
  const what = failing.length > 0 ? `${failing.slice(0, 3).join(", ")}${more}` : last;
  return what === undefined ? command : `${command} (${what})`;
}

/** Whether a check failed in another way than on the base. */
export const isRed = ({ exitCode, asBefore }: Pick<CheckResult, "exitCode" | "asBefore">): boolean =>
  exitCode !== 0 && asBefore === undefined;

/** How a check ended. */
export function endWords({ exitCode, durationMs, hidden }: CheckResult): string {
  const took = seconds(durationMs);
  if (exitCode === null) return t`stopped after ${took}`;
  return exitCode === 0
    ? t`green after ${took}`
    : t`exit status ${exitCode} after ${took}` + hidesWords(hidden);
}
