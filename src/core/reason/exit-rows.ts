/** Why a session looks finished or not, and what each signal was read off, in words. */
import type { ExitReason, SignalReason } from "./exit-schema.ts";
import { counted } from "../text/counted.ts";
import { settingsBy, wordsBy } from "./row.ts";
import type { RowsOf } from "./row.ts";

export const exitRows: RowsOf<ExitReason> = {
  exit_contradicted: { words: ({ said }) => `its status block contradicts itself: ${said}` },
  exit_denied: { words: () => "EXIT_SIGNAL is false" },
  exit_checks_failed: { words: () => "the last checks failed" },
  exit_promise: {
    words: ({ given }) => (given ? "the completion promise is given" : "the completion promise is not given"),
  },
  exit_boxes_open: { words: () => "some boxes are ticked, and others are open" },
  exit_signal: {
    words: ({ indicators, min }) =>
      indicators >= min
        ? `EXIT_SIGNAL is true, and ${indicators} completion indicators stand behind it`
        : `EXIT_SIGNAL is true, but ${indicators} of ${min} completion indicators stand behind it`,
  },
  exit_vote: {
    words: ({ total, threshold }) => `the vote is ${total} (threshold ${threshold})`,
    settings: ["exit.threshold", "exit.doneSessions", "exit.testSessions"],
  },
  exit_promise_and_boxes: { words: () => "the completion promise, and every box is ticked" },
  exit_facts: {
    words: ({ total, changed }) =>
      `${total === 1 ? "the only box is" : `all ${total} boxes are`} resolved, the checks pass, and ${counted(changed, "file")} changed`,
  },
  exit_refusal_gone: { words: ({ was }) => `a submit was refused (${was}), and that reason has gone` },
  exit_closing: { words: closingWords, settings: ["exit.ask"] },
};

function closingWords(answer: Extract<ExitReason, { rule: "exit_closing" }>): string {
  const { done, remaining, question, blockedBy } = answer;
  const against = [
    ...(remaining.length > 0 ? [`remaining: ${remaining.join("; ")}`] : []),
    ...(blockedBy === undefined ? [] : [`blocked by: ${blockedBy}`]),
    ...(question === undefined ? [] : [`question: ${question}`]),
  ];
  const said = done ? "that it is done" : "that it is not done";
  return `asked once more, it answered ${said}${against.length > 0 ? ` (${against.join(", ")})` : ""}`;
}

export function exitWords(reason: ExitReason): string {
  return wordsBy(exitRows, reason.rule, reason);
}

export function exitSettings(reason: ExitReason): readonly string[] {
  return settingsBy(exitRows, reason.rule, reason);
}

export const signalRows: RowsOf<SignalReason> = {
  boxes_resolved: { words: ({ resolved, total }) => `${resolved} of ${total} boxes resolved` },
  said_done: {
    words: ({ streak, of }) => `${streak} of ${counted(of, "session")} in a row said done`,
    settings: ["exit.doneSessions"],
  },
  changed_tests_only: {
    words: ({ streak, of, sharePercent }) =>
      `${streak} of ${counted(of, "session")} in a row changed tests only${
        sharePercent === undefined ? "" : `; tests take ${sharePercent} % of the sessions`
      }`,
    settings: ["exit.testSessions"],
  },
  strong_words: { words: ({ said }) => `"${said}"` },
  strong_promise: { words: () => "the completion promise" },
  strong_documentation: { words: () => "documentation only" },
  strong_none: { words: () => "none" },
};
