/** Sentences for changes of the circuit breaker. */
import type { BreakerReason } from "./breaker-schema.ts";
import { counted } from "../language/counted.ts";
import { settingsBy, wordsBy } from "./row.ts";
import type { RowsOf } from "./row.ts";
import { t } from "../language/translate.ts";

const reopen = "breaker.reopen";

export const breakerRows: RowsOf<BreakerReason> = {
  no_progress: {
    words: ({ sessions, max, check }) =>
      checkFirst(check, t`no progress in ${counted(sessions, "session")} in a row (stalledMax ${max})`),
    settings: ["limits.stalledMax", reopen],
  },
  same_error: {
    words: ({ sessions, max, check }) =>
      checkFirst(
        check,
        t`the same error in ${counted(sessions, "session")} in a row (breaker.sameErrorMax ${max})`,
      ),
    settings: ["breaker.sameErrorMax", reopen],
  },
  denied: {
    words: ({ sessions, max, tools }) =>
      t`tools were denied in ${counted(sessions, "session")} in a row, last ${tools.join(", ")} (breaker.deniedMax ${max})`,
    settings: ["breaker.deniedMax", reopen],
  },
  output_decline: {
    words: ({ percent, max }) => t`its output fell by ${percent} % (breaker.outputDeclinePercent ${max})`,
    settings: ["breaker.outputDeclinePercent", reopen],
  },
  cool_down_over: {
    words: () => t`the pause is over`,
    settings: ["breaker.coolDownMinutes"],
  },
  probe_failed: {
    words: ({ session, sameError }) =>
      sameError
        ? t`session ${session} met the same error again`
        : t`session ${session} made no progress either`,
    settings: ["breaker.coolDownMinutes"],
  },
  probe_succeeded: { words: ({ session }) => t`session ${session} made progress` },
  resumed: { words: () => t`a person resumed` },
};

/** What fails, and then how often. */
export function checkFirst(check: string | undefined, often: string): string {
  return check === undefined ? often : t`${check}: ${often}`;
}

export function breakerWords(reason: BreakerReason): string {
  return wordsBy(breakerRows, reason.rule, reason);
}

export function breakerSettings(reason: BreakerReason): readonly string[] {
  return settingsBy(breakerRows, reason.rule, reason);
}
