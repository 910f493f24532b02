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
      failureFirst(check, t`no progress in ${counted(sessions, "session")} in a row (stalledMax ${max})`),
    settings: ["limits.stalledMax", reopen],
  },
  same_error: {
    words: ({ sessions, check }) =>
      failureFirst(check, t`the same error in ${counted(sessions, "session")} in a row`),
    settings: ["breaker.sameErrorMax", reopen],
  },
  denied: {
    words: ({ sessions, tools }) =>
      t`tools were denied in ${counted(sessions, "session")} in a row, last ${tools.join(", ")}`,
    settings: ["breaker.deniedMax", reopen],
  },
  output_decline: {
    words: ({ percent }) => t`its output fell by ${percent} %`,
    settings: ["breaker.outputDeclinePercent", reopen],
  },
  cool_down_over: {
    words: () => t`the pause is over`,
    settings: ["breaker.coolDownMinutes"],
  },
  probe_failed: {
    words: ({ session, sameError, check }) =>
      failureFirst(
        check,
        sameError
          ? t`session ${session} met the same error again`
          : t`session ${session} made no progress either`,
      ),
    settings: ["breaker.coolDownMinutes"],
  },
  probe_succeeded: { words: ({ session }) => t`session ${session} made progress` },
  resumed: { words: () => t`a person resumed` },
};

/** What each position means for the relay's sessions. */
export const positionWords: Readonly<Record<"open" | "half_open" | "closed", () => string>> = {
  open: () => t`pause`,
  half_open: () => t`let one session try`,
  closed: () => t`end the pause`,
};

/** What fails, and then how often. */
export function failureFirst(what: string | undefined, often: string): string {
  return what === undefined ? often : t`${what}: ${often}`;
}

export function breakerWords(reason: BreakerReason): string {
  return wordsBy(breakerRows, reason.rule, reason);
}

export function breakerSettings(reason: BreakerReason): readonly string[] {
  return settingsBy(breakerRows, reason.rule, reason);
}
