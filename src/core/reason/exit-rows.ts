/** Sentences for exit detection: why a session looks finished or not, and the evidence of each signal. */
import type { ExitReason, SignalReason } from "./exit-schema.ts";
import { counted } from "../language/counted.ts";
import { settingsBy, wordsBy } from "./row.ts";
import type { RowsOf } from "./row.ts";
import { t } from "../language/translate.ts";

export const exitRows: RowsOf<ExitReason> = {
  exit_contradicted: { words: ({ said }) => t`its status block contradicts itself: ${said}` },
  exit_denied: { words: () => t`EXIT_SIGNAL is false` },
  exit_checks_failed: { words: () => t`the last checks failed` },
  exit_promise: {
    words: ({ given }) =>
      given ? t`the completion promise is given` : t`the completion promise is not given`,
  },
  exit_boxes_open: { words: () => t`some boxes are ticked, and others are open` },
  exit_signal: {
    words: ({ indicators, min }) =>
      indicators >= min
        ? t`EXIT_SIGNAL is true, and ${indicators} completion indicators stand behind it`
        : t`EXIT_SIGNAL is true, but ${indicators} of ${min} completion indicators stand behind it`,
  },
  exit_vote: {
    words: ({ total, threshold }) => t`the vote is ${total} (threshold ${threshold})`,
    settings: ["exit.threshold", "exit.doneSessions", "exit.testSessions"],
  },
  exit_facts: {
    words: ({ total, changed }) =>
      total === 1
        ? t`the only box is resolved, the checks pass, and ${counted(changed, "file")} changed`
        : t`all ${total} boxes are resolved, the checks pass, and ${counted(changed, "file")} changed`,
  },
  exit_refusal_gone: { words: ({ was }) => t`a submit was refused (${was}), and that reason has gone` },
  exit_closing: { words: closingWords, settings: ["exit.ask"] },
};

function closingWords(answer: Extract<ExitReason, { rule: "exit_closing" }>): string {
  const { done, remaining, question, blockedBy } = answer;
  const against = [
    ...(remaining.length > 0 ? [t`remaining: ${remaining.join(t`; `)}`] : []),
    ...(blockedBy === undefined ? [] : [t`blocked by: ${blockedBy}`]),
    ...(question === undefined ? [] : [t`question: ${question}`]),
  ];
  const more = against.length > 0 ? t` (${against.join(t`, `)})` : "";
  return done
    ? t`asked once more, it answered that it is done${more}`
    : t`asked once more, it answered that it is not done${more}`;
}

export function exitWords(reason: ExitReason): string {
  return wordsBy(exitRows, reason.rule, reason);
}

export function exitSettings(reason: ExitReason): readonly string[] {
  return settingsBy(exitRows, reason.rule, reason);
}

export const signalRows: RowsOf<SignalReason> = {
  boxes_resolved: { words: ({ resolved, total }) => t`${resolved} of ${total} boxes resolved` },
  said_done: {
    words: ({ streak, of }) => t`${streak} of ${counted(of, "session")} in a row said done`,
    settings: ["exit.doneSessions"],
  },
  changed_tests_only: {
    words: ({ streak, of, sharePercent }) =>
      t`${streak} of ${counted(of, "session")} in a row changed tests only${
        sharePercent === undefined ? "" : t`; tests take ${sharePercent} % of the sessions`
      }`,
    settings: ["exit.testSessions"],
  },
  strong_words: { words: ({ said }) => t`"${said}"` },
  strong_promise: { words: () => t`the completion promise` },
  strong_documentation: { words: () => t`documentation only` },
  strong_none: { words: () => t`none` },
};
