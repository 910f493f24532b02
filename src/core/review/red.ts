/** Judges a check that failed; separate from its schema, for callers that do not load zod. */
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
