/** Sentences for the evidence of a session's ending. */
import { amountWords } from "./amounts.ts";
import type { EndingReason, Evidence, StopCause, Unreadable } from "./ending-schema.ts";
import { counted } from "../language/counted.ts";
import { settingsBy, wordsBy } from "./row.ts";
import type { RowsOf } from "./row.ts";
import { t } from "../language/translate.ts";

export const stopRows: RowsOf<StopCause> = {
  budget_mark: {
    words: ({ unit, used, max }) =>
      t`${amountWords[unit](used)} of its budget of ${amountWords[unit](max)} used`,
    settings: ["budgets.session.tokens", "budgets.session.costUsd"],
  },
  same_failure: {
    words: ({ command, times }) => t`\`${command}\` has failed ${counted(times, "time")} in the same way`,
    settings: ["limits.sameFailureMax"],
  },
  person: {
    words: ({ asked }) => (asked === "stop" ? t`a person asked it to stop` : t`a person asked to give it up`),
  },
  budget_spent: { words: () => t`a budget is used up` },
  context_mark: {
    words: ({ tokens, percent, windowTokens }) =>
      t`${tokens} tokens of context in use (${percent} % of ${windowTokens})`,
  },
  time_mark: {
    words: ({ usedMinutes, allowedMinutes }) =>
      t`${usedMinutes} of ${counted(allowedMinutes, "minute")} used`,
  },
  compacted: { words: () => t`the agent compacted its own context` },
  interrupted: { words: () => t`interrupted (Ctrl-C)` },
  run_time_up: { words: () => t`the time of --until has come` },
  lease_lost: { words: ({ said }) => t`the lease was lost: ${said}` },
  flooded: { words: ({ megabytesMax }) => t`it flooded its output: more than ${megabytesMax} MB` },
  silent_wait: { words: ({ said }) => t`it waits, and does not say how long: ${said}` },
  no_output: { words: ({ minutes }) => t`no output for ${counted(minutes, "minute")}` },
  not_begun: { words: ({ seconds }) => t`nothing came of its start within ${counted(seconds, "second")}` },
  idle_turns: {
    words: ({ turns, said }) =>
      said === ""
        ? t`${turns} turns in a row came to nothing`
        : t`${turns} turns in a row came to nothing; what refused or failed last: ${said}`,
    settings: ["limits.turnsPerMinute"],
  },
  lingered: {
    words: ({ after }) =>
      after === "submitted"
        ? t`it has submitted, but it did not end by itself`
        : after === "handed_over"
          ? t`it has handed over, but it did not end by itself`
          : t`it has asked, but it did not end by itself`,
  },
  runner_died: { words: () => t`its runner died` },
  went_wrong: { words: ({ said }) => t`monoco could not go on: ${said}` },
};

export function stopWords(cause: StopCause): string {
  return wordsBy(stopRows, cause.rule, cause);
}

const unreadableRows: RowsOf<Unreadable> = {
  no_workspace: { words: () => t`the workspace is gone` },
  no_head: { words: () => t`neither its branch nor its HEAD could be fetched` },
  fetched_lost: { words: () => t`what was fetched is lost: another git repacks all the time` },
  foreign_part: { words: ({ part }) => t`its ${part} leads to what is not its own` },
  git_failed: { words: ({ said }) => said },
};

const settingsOfStop = ({ by }: { by: StopCause }): readonly string[] => settingsBy(stopRows, by.rule, by);

const endingRows: RowsOf<EndingReason> = {
  not_startable: { words: ({ said }) => t`could not be started: ${said}` },
  approved_and_ended: {
    words: ({ by }) =>
      t`it approved, and did not end by itself: ${by.rule === "exited" ? exitWords(by) : stopWords(by)}`,
  },
  verdict_read: { words: () => t`a verdict was read from its output` },
  verdict_malformed: { words: () => t`its verdict was malformed` },
  no_verdict_given: { words: () => t`it ended without a verdict` },
  submit_found: { words: () => t`a submit message lay in its outbox` },
  handoff_found: { words: () => t`a valid RALPH.md of this session is there` },
  no_handoff_found: { words: () => t`it left no valid RALPH.md` },
  nothing_found: { words: () => t`it ended by itself and neither submitted nor handed over` },
  stopped: {
    words: ({ by, handoff }) => {
      const because = stopWords(by);
      const more = handoff === undefined ? because : t`${because}; asked once more, ${leftWords(handoff)}`;
      return t`stopped by monoco: ${more}`;
    },
    settings: settingsOfStop,
  },
  wrapped_up: {
    words: (reason) => t`wrapped up at its mark: ${wrapUpWords(reason)}`,
    settings: settingsOfStop,
  },
  told_to_wrap_up: {
    words: (reason) => t`told to wrap up: ${wrapUpWords(reason)}`,
    settings: settingsOfStop,
  },
  compacted_itself: { words: () => t`the agent compacted its context` },
  interrupted_outside: { words: ({ said }) => t`interrupted from outside: ${said}` },
  exited: { words: exitWords },
  cut_short: { words: () => t`its process ended (exit status 0) before it had said how it ended` },
  wordless: { words: () => t`the agent said so, and nothing more` },
  verdicts_not_taken: {
    words: ({ count }) => t`ignored ${counted(count, "verdict")} that arrived during the session`,
  },
  program: { words: ({ who }) => who },
  strange_program: {
    words: ({ who, measuredOn }) =>
      t`${who} began no session that its adapter knows${measuredOn === undefined ? "" : t`: seen on ${measuredOn}`}`,
  },
  hooks_not_seen: { words: () => t`its hooks were not seen to be loaded` },
  foreign_commits: { words: ({ ref }) => t`somebody's commits stood on the relay's branch; kept as ${ref}` },
  settings_set_aside: {
    words: ({ paths, to }) =>
      t`its changes to hooks and configuration of git were set aside, to ${to}: ${pathsIn(paths)}`,
  },
  pipes_removed: {
    words: ({ paths }) => t`pipes in the place of files that git reads were removed: ${pathsIn(paths)}`,
  },
  git_unreadable: {
    words: ({ why, kept }) =>
      t`its git could not be read${kept === undefined ? "" : t` (kept as ${kept})`}: ${wordsBy(unreadableRows, why.rule, why)}`,
  },
};

function leftWords(handoff: boolean): string {
  return handoff ? t`it wrote its handoff` : t`it left none`;
}

function wrapUpWords({ by, handoff }: { by: StopCause; handoff?: boolean | undefined }): string {
  const why = stopWords(by);
  return handoff === undefined ? why : t`${why}; asked once more when it had ended, ${leftWords(handoff)}`;
}

function exitWords({ exitCode, signal }: Extract<EndingReason, { rule: "exited" }>): string {
  if (signal) return t`killed by ${signal}`;
  const killed = killedBy(exitCode);
  if (exitCode === null) return t`exit status unknown`;
  return t`exit status ${exitCode}${killed === undefined ? "" : t` (killed by signal ${killed})`}`;
}

/** The signal behind a shell's exit code, which is 128 + n if signal n killed the program. */
export function killedBy(exitCode: number | null): number | undefined {
  return exitCode !== null && exitCode > 128 && exitCode <= 159 ? exitCode - 128 : undefined;
}

function pathsIn(paths: readonly string[]): string {
  const more = paths.length > 10 ? `, and ${paths.length - 10} more` : "";
  return `${paths.slice(0, 10).join(", ")}${more}`;
}

/** The evidence as sentences, a line each. */
export function endingWords(evidence: readonly Evidence[]): string[] {
  return evidence.map((one) => (typeof one === "string" ? one : wordsBy(endingRows, one.rule, one)));
}

/** The keys of settings that would have changed the ending. */
export function endingSettings(evidence: readonly Evidence[]): string[] {
  return evidence.flatMap((one) => (typeof one === "string" ? [] : settingsBy(endingRows, one.rule, one)));
}
