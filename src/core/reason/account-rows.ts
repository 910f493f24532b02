/** Sentences for reasons why an account cannot be used. */
import type { AccountReason } from "./account-schema.ts";
import { settingsBy, wordsBy } from "./row.ts";
import type { RowsOf } from "./row.ts";
import { t } from "../language/translate.ts";

const executors = "roles.executor.agents";
const players = [executors, "roles.reviewer.agents"];

export const accountRows: RowsOf<AccountReason> = {
  usage_limit: {
    words: ({ agent, said, guessed }) =>
      t`usage limit of ${agent}${said === undefined ? "" : t`: ${said}`}${guessed ? t`; no time is named: this one is a guess` : ""}`,
    settings: ["limits.usageLimitMinutes", executors],
  },
  outage: {
    words: ({ agent, inARow }) => t`outage of ${agent}${inARow > 1 ? t`, ${inARow} times in a row` : ""}`,
    settings: ["limits.backoffSeconds", executors],
  },
  needs_login: {
    words: ({ said, profile }) =>
      profile === undefined
        ? (said ?? t`not logged in`)
        : t`the AWS profile ${profile} gives no credentials${said === undefined ? "" : t`: ${said}`}`,
    settings: players,
  },
  program_old: {
    words: ({ kind, version, least }) => t`${kind} ${version} is older than ${least}, which monoco needs`,
    settings: players,
  },
};

/** The sentences for several accounts, without repetition. */
export function accountWords(reasons: readonly AccountReason[]): string {
  return [...new Set(reasons.map((reason) => wordsBy(accountRows, reason.rule, reason)))].join(t`; `);
}

export function accountSettings(reasons: readonly AccountReason[]): string[] {
  return reasons.flatMap((reason) => settingsBy(accountRows, reason.rule, reason));
}
