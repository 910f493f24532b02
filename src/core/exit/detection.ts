/**
 * Is the work done, though the session did not say so by `monoco issue submit`? A vote of signals, and the agent's own
 * explicit ones. All that it can do is put the work up for review; an approval never comes from here.
 */
import {
  completionIndicators,
  denials,
  doneSignals,
  nothingLeft,
  strongIndicators,
  testsPass,
} from "./phrases.ts";
import { hasPromise, inSentences, ownLines, takesBack } from "./promise.ts";
import type { Settings } from "../settings/settings.ts";
import type { ExitReason, SignalReason } from "../reason/exit-schema.ts";
import { findStatusBlock } from "./status-block.ts";

export type ExitPolicy = Settings["exit"] & {
  /** A loop's: nothing but this promise says that it is done, and nothing less. */
  promise?: string | undefined;
};

/** What is known of a session at its end. */
export type ExitEvidence = {
  /** What the agent said after its last tool call: its answer. */
  answer: string;
  /** The boxes, criteria and tasks together; resolved is done or given up with a reason. */
  boxes: { resolved: number; total: number };
  /** Files that the session changed. */
  files: readonly string[];
  /** monoco's own last run of the checks; undefined where none ran. */
  checksOk: boolean | undefined;
  /** The charged Executor sessions before this one since the opening, oldest first. */
  before: readonly { done: boolean; testOnly: boolean }[];
};

export const exitSignalNames = [
  "tasks_complete",
  "consecutive_done",
  "test_only",
  "strong_indicators",
] as const;
export type ExitSignalName = (typeof exitSignalNames)[number];

/** The weights of the vote (protocol article): what is ticked counts most, what is said least. */
export const exitWeights: Readonly<Record<ExitSignalName, number>> = {
  tasks_complete: 0.4,
  consecutive_done: 0.25,
  test_only: 0.2,
  strong_indicators: 0.15,
};

/** Completion indicators that have to stand behind an EXIT_SIGNAL: the dual condition. */
export const indicatorsMin = 2;

export type ExitSignal = {
  name: ExitSignalName;
  present: boolean;
  weight: number;
  reason: SignalReason;
};

export type ExitScore = {
  signals: ExitSignal[];
  total: number;
  threshold: number;
  /** `<promise>COMPLETE</promise>` on a line of its own. */
  promise: boolean;
  /** From the status block; null where there is none, or one that was not filled in. */
  exitSignal: boolean | null;
  indicators: number;
  /** It said that it is done, and this of its own words says the opposite. */
  contradiction?: string;
  /** For the streaks of later sessions. */
  done: boolean;
  testOnly: boolean;
  finished: boolean;
  reason: ExitReason;
};

/** Scores one session. Pure: the same evidence and policy give the same score. */
export function scoreExit(evidence: ExitEvidence, policy: ExitPolicy): ExitScore {
  const { answer } = evidence;
  const block = findStatusBlock(answer);
  const takenBack = block?.exitSignal ? takesBack(block.after ?? "") : undefined;
  const contradiction = block?.contradiction ?? (takenBack && `then it says "${takenBack.slice(0, 80)}"`);
  const exitSignal = contradiction === undefined ? (block?.exitSignal ?? null) : false;
  const sentences = sentencesOf(answer);
  const promise = hasPromise(answer, policy.promise);
  const boxes = boxesOf(evidence.boxes);
  const complete = boxes === "all";
  const indicators = countIndicators(sentences, evidence) + (promise ? 1 : 0) + (complete ? 1 : 0);
  const done = exitSignal !== false && (exitSignal === true || promise || sentences.some(isDone));
  const testOnly = evidence.files.length > 0 && evidence.files.every(isTest);
  const seen = { ...evidence, sentences, done, testOnly, promise, complete };
  const signals = signalsOf(seen, policy);
  const total = round(signals.reduce((sum, { present, weight }) => sum + (present ? weight : 0), 0));
  const judged = { exitSignal, promise, boxes, indicators, total, checksOk: evidence.checksOk };
  const verdict = finishedBy(judged, policy, contradiction);
  return {
    signals,
    total,
    threshold: policy.threshold,
    promise,
    exitSignal,
    indicators,
    ...(contradiction === undefined ? {} : { contradiction }),
    done,
    testOnly,
    ...verdict,
  };
}

export type ExitJudged = {
  exitSignal: boolean | null;
  promise: boolean;
  boxes: Boxes;
  indicators: number;
  total: number;
  checksOk: boolean | undefined;
};

/** How many of the boxes are resolved: an agent that ticks some of them keeps a ledger. */
export type Boxes = "none" | "some" | "all";

function boxesOf({ resolved, total }: ExitEvidence["boxes"]): Boxes {
  if (resolved === 0 || total === 0) return "none";
  return resolved === total ? "all" : "some";
}

/** The truth table: the first rule that applies wins. A row of it is a line of docs/exit-detection.md. */
export function finishedBy(
  judged: ExitJudged,
  policy: Pick<ExitPolicy, "threshold" | "promise">,
  contradiction?: string,
): { finished: boolean; reason: ExitReason } {
  const { exitSignal, promise, boxes, indicators, total, checksOk } = judged;
  const not = (reason: ExitReason) => ({ finished: false, reason });
  const yes = (reason: ExitReason) => ({ finished: true, reason });
  if (contradiction !== undefined) return not({ rule: "exit_contradicted", said: contradiction });
  // Prose never overrules the agent's own no.
  if (exitSignal === false) return not({ rule: "exit_denied" });
  if (checksOk === false) return not({ rule: "exit_checks_failed" });
  if (policy.promise !== undefined) {
    return { finished: promise, reason: { rule: "exit_promise", given: promise } };
  }
  // What it claims for the whole is not in its own ledger.
  if (boxes === "some") return not({ rule: "exit_boxes_open" });
  if (exitSignal === true) {
    const reason = { rule: "exit_signal", indicators, min: indicatorsMin } as const;
    return { finished: indicators >= indicatorsMin, reason };
  }
  const vote = { rule: "exit_vote", total, threshold: policy.threshold } as const;
  if (total >= policy.threshold) return yes(vote);
  if (promise && boxes === "all") return yes({ rule: "exit_promise_and_boxes" });
  return not(vote);
}

function signalsOf(
  seen: ExitEvidence & {
    sentences: readonly string[];
    done: boolean;
    testOnly: boolean;
    promise: boolean;
    complete: boolean;
  },
  policy: ExitPolicy,
): ExitSignal[] {
  const { boxes, before, files } = seen;
  const doneStreak = streak([...before.map((one) => one.done), seen.done]);
  const testStreak = streak([...before.map((one) => one.testOnly), seen.testOnly]);
  const tests = [...before.map((one) => one.testOnly), seen.testOnly].filter(Boolean).length;
  const share = Math.round((tests / (before.length + 1)) * 100);
  const strong = seen.sentences.find(matches(strongIndicators));
  const docsOnly = files.length > 0 && files.every(isDocumentation);
  const found: Record<ExitSignalName, [boolean, SignalReason]> = {
    tasks_complete: [seen.complete, { rule: "boxes_resolved", ...boxes }],
    consecutive_done: [
      doneStreak >= policy.doneSessions,
      { rule: "said_done", streak: doneStreak, of: policy.doneSessions },
    ],
    test_only: [
      testStreak >= policy.testSessions,
      {
        rule: "changed_tests_only",
        streak: testStreak,
        of: policy.testSessions,
        ...(share > policy.testSharePercent ? { sharePercent: share } : {}),
      },
    ],
    strong_indicators: [
      seen.promise || strong !== undefined || docsOnly,
      seen.promise
        ? { rule: "strong_promise" }
        : strong !== undefined
          ? { rule: "strong_words", said: strong.slice(0, 80) }
          : { rule: docsOnly ? "strong_documentation" : "strong_none" },
    ],
  };
  return exitSignalNames.map((name) => ({
    name,
    present: found[name][0],
    weight: exitWeights[name],
    reason: found[name][1],
  }));
}

/** How many at the end are true: one that is not clears the streak. */
function streak(values: readonly boolean[]): number {
  const last = values.lastIndexOf(false);
  return values.length - 1 - last;
}

/** The different indicators that some sentence shows; that the tests pass, monoco may know better than the agent. */
function countIndicators(sentences: readonly string[], { checksOk }: Pick<ExitEvidence, "checksOk">): number {
  return completionIndicators.filter(
    (pattern) =>
      (pattern === testsPass && checksOk === true) || sentences.some((sentence) => pattern.test(sentence)),
  ).length;
}

function matches(patterns: readonly RegExp[]): (sentence: string) => boolean {
  return (sentence) => patterns.some((pattern) => pattern.test(sentence));
}

const isDone = matches(doneSignals);

/** Its prose says that the work is done. */
export function saysDone(answer: string): boolean {
  return sentencesOf(answer).some(isDone);
}

/** Only the end of a long answer counts: what is over is said last. */
const answerCharsMax = 20_000;

/** The sentences that the agent says of its work: no code, no quotations, no status block, no plan, doubt or denial. */
function sentencesOf(answer: string): string[] {
  return ownLines(answer.slice(-answerCharsMax))
    .map((line) =>
      line.replace(/`[^`]*`/g, " ").replace(/"[^"]{0,200}"|“[^”]{0,200}”|「[^」]{0,200}」/g, " "),
    )
    .filter((line) => !/^\s*"?[A-Z][A-Z_]+"?\s*:/.test(line))
    .flatMap(inSentences)
    .filter((sentence) => !isDenial(sentence));
}

function isDenial(sentence: string): boolean {
  const rest = nothingLeft.reduce((text, pattern) => text.replace(pattern, " "), sentence);
  return denials.some((pattern) => pattern.test(rest)) || /^\s*[-*+]\s*\[[ /-]\]/.test(sentence);
}

function isTest(path: string): boolean {
  return /(?:^|\/)(?:tests?|__tests__|spec|e2e)\/|[._-](?:test|spec)\.[^/]+$|(?:^|\/)test_[^/]+$/i.test(path);
}

function isDocumentation(path: string): boolean {
  return /(?:^|\/)docs?\/|\.(?:md|mdx|rst|adoc|txt)$/i.test(path);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
