/** Renders a reason: its sentence for people, and the settings that would change it. No code parses the sentence. */
import { accountRows, accountSettings, accountWords } from "./account-rows.ts";
import { blockRows } from "./block-rows.ts";
import { breakerRows } from "./breaker-rows.ts";
import { stopRows } from "./ending-rows.ts";
import { exitRows, exitSettings, exitWords, signalRows } from "./exit-rows.ts";
import { waitsWords } from "./pull-rows.ts";
import type { PresetReason, Reason, RestReason, StepReason, WaitReason } from "./reason-schema.ts";
import { counted } from "../language/counted.ts";
import { settingsBy, wordsBy } from "./row.ts";
import type { RowsOf } from "./row.ts";
import { startRows } from "./start-rows.ts";
import { t } from "../language/translate.ts";

const stepRows: RowsOf<StepReason> = {
  session_open: { words: ({ session }) => t`session ${session} has no recorded end` },
  session_submitted: { words: ({ session }) => t`session ${session} submitted` },
  session_ended: { words: ({ session, how }) => t`session ${session} ended: ${how}` },
  merge_prepared: { words: () => t`a merge was prepared` },
  submission_new: { words: ({ submission }) => t`submission ${submission} is new` },
  settled_by_checks: {
    words: ({ ok }) => (ok ? t`its checks pass` : t`its checks fail`),
    settings: ["checks"],
  },
  verdict_given: { words: ({ session }) => t`session ${session} gave a verdict` },
  approved: {
    words: ({ submission, by }) =>
      by === "person"
        ? t`the person approved submission ${submission}`
        : by === "reviewer"
          ? t`the reviewer approved submission ${submission}`
          : t`the ${by} approved submission ${submission}`,
  },
  looks_finished: {
    words: ({ session, exit }) =>
      t`session ${session} looks finished and did not submit${exit ? t`: ${exitWords(exit)}` : ""}`,
    settings: ({ exit }) => ["exit.submit", "exit.threshold", ...(exit ? exitSettings(exit) : [])],
  },
};

const waitRows: RowsOf<WaitReason> = {
  back_off: {
    words: ({ failed }) => t`back-off after ${counted(failed, "failed session")} without progress`,
    settings: ["limits.backoffSeconds"],
  },
  sessions_per_hour: {
    words: ({ used, max }) =>
      used === 1
        ? t`1 session was started within an hour (limits.sessionsPerHour ${max})`
        : t`${used} sessions were started within an hour (limits.sessionsPerHour ${max})`,
    settings: ["limits.sessionsPerHour"],
  },
  tokens_per_hour: {
    words: ({ used, max }) => t`${used} tokens were used within an hour (limits.tokensPerHour ${max})`,
    settings: ["limits.tokensPerHour"],
  },
  accounts_suspended: { words: ({ of }) => accountWords(of), settings: ({ of }) => accountSettings(of) },
};

const restRows: RowsOf<RestReason> = {
  no_relay: { words: () => t`no relay is open` },
  merged: {
    words: ({ commit, pullRequest, missing }) =>
      t`merged as ${commit.slice(0, 8)}${pullRequest === undefined ? "" : t` by its pull request ${pullRequest}`}${missing === undefined ? "" : t`, which ${missing} here does not have yet`}`,
  },
  nothing_changed: { words: () => t`nothing had to change` },
  taken_over: { words: ({ base, commit }) => t`its work is on ${base} (${commit.slice(0, 8)})` },
  left: { words: ({ branch, commit }) => t`its work is on branch ${branch} (${commit.slice(0, 8)})` },
  pull_request: {
    words: ({ url, branch, base, commit, seen }) =>
      t`its work is on branch ${branch} (${commit.slice(0, 8)}), and its pull request is ${url}: ${seen ? waitsWords({ ...seen, base }) : t`not looked at yet`}`,
  },
  pull_request_closed: { words: ({ url }) => t`its pull request ${url} was closed without a merge` },
  person: stopRows.person,
};

const presetRows: RowsOf<PresetReason> = {
  preset_size: {
    words: ({ criteria, tasks, size, raised }) =>
      t`${criteria === 1 ? t`1 criterion` : t`${criteria} criteria`} and ${counted(tasks, "task")} make it ${size}${
        raised ? t`, criticality ${raised.by} raises it to ${raised.to}` : ""
      }`,
    settings: ["preset"],
  },
};

const rows: RowsOf<Reason> = {
  ...accountRows,
  ...startRows,
  ...stepRows,
  ...breakerRows,
  ...blockRows,
  ...waitRows,
  ...restRows,
  budget_mark: stopRows.budget_mark,
  ...exitRows,
  ...signalRows,
  ...presetRows,
};

/** The sentence for a reason. */
export function becauseOf(reason: Reason): string {
  return wordsBy(rows, reason.rule, reason);
}

/** The keys of the settings that would change it. */
export function settingsOf(reason: Reason): string[] {
  return [...new Set(settingsBy(rows, reason.rule, reason))];
}
