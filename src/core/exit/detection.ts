/**
 * Is the work done, though the session did not say so by `monoco issue submit`? Facts first, then what the agent said in a
 * structured way, then a vote of signals. All that it can do is put the work up for review; an approval never comes from here.
 */
import {
  completionIndicators,
  denials,
  doneSignals,
  nothingLeft,
  strongIndicators,
  testsPass,
} from "./phrases.ts";
import { closesDone } from "./closing.ts";
import type { Closing } from "./closing.ts";
import { hasPromise, inSentences, ownLines, takesBack } from "./promise.ts";
import type { Settings } from "../settings/settings.ts";
import type { ExitReason, SignalReason } from "../reason/exit-schema.ts";
import { findStatusBlock } from "./status-block.ts";
import { t } from "../language/translate.ts";

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
  /** Files besides the contract that changed since the last submission, else since the base. */
  changed: number;
  /** monoco's own last run of the checks; undefined where none ran. */
  checksOk: boolean | undefined;
  /** The charged Executor sessions before this one since the opening, oldest first. */
  before: readonly { done: boolean; testOnly: boolean }[];
  /** What it answered when it was asked once more. */
  closing?: Closing | undefined;
  /** An earlier submit was refused for this, and it has gone. */
  refusalGone?: string | undefined;
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
  /** What decides before any word. */
  facts: ExitFacts;
  closing?: Closing;
  refusalGone?: string;
  /** It said that it is done, and this of its own words says the opposite. */
  contradiction?: string;
  /** For the streaks of later sessions. */
  done: boolean;
  testOnly: boolean;
  finished: boolean;
  reason: ExitReason;
};

/** \`checks\`: monoco's own last run of them. */
export type ExitFacts = {
  resolved: number;
  total: number;
  checks: "passed" | "failed" | "not_run";
  changed: number;
};

/** Scores one session. Pure: the same evidence and policy give the same score. */
export function scoreExit(evidence: ExitEvidence, policy: ExitPolicy): ExitScore {
  const { answer, closing, refusalGone } = evidence;
  const { contradiction, exitSignal } = signalOf(answer);
  const sentences = sentencesOf(answer);
  const promise = hasPromise(answer, policy.promise);
  const facts = factsOf(evidence);
  const complete = boxesOf(facts) === "all";
  const indicators = countIndicators(sentences, evidence) + (promise ? 1 : 0) + (complete ? 1 : 0);
  const said = exitSignal === true || promise || (closing?.done ?? sentences.some(isDone));
  const done = exitSignal !== false && said;
  const testOnly = evidence.files.length > 0 && evidence.files.every(isTest);
  const seen = { ...evidence, sentences, done, testOnly, promise, complete };
  const signals = signalsOf(seen, policy);
  const total = round(signals.reduce((sum, { present, weight }) => sum + (present ? weight : 0), 0));
  const judged = { facts, exitSignal, contradiction, promise, indicators, total, closing, refusalGone };
  return {
    signals,
    total,
    threshold: policy.threshold,
    promise,
    exitSignal,
    indicators,
    facts,
    ...(closing === undefined ? {} : { closing }),
    ...(refusalGone === undefined ? {} : { refusalGone }),
    ...(contradiction === undefined ? {} : { contradiction }),
    done,
    testOnly,
    ...finishedBy(judged, policy),
  };
}

/** What its status block says; a yes that it takes back, or that something beside it denies, is a no. */
function signalOf(answer: string): { contradiction: string | undefined; exitSignal: boolean | null } {
  const block = findStatusBlock(answer);
  const takenBack = block?.exitSignal ? takesBack(block.after ?? "") : undefined;
  const contradiction = block?.contradiction ?? (takenBack && t`then it says "${takenBack.slice(0, 80)}"`);
  return { contradiction, exitSignal: contradiction === undefined ? (block?.exitSignal ?? null) : false };
}

/** Neither facts nor the agent's own outright words can decide. `willBeChecked`: the checks run on what it left. */
export function isUndecided(answer: string, boxes: ExitEvidence["boxes"], willBeChecked: boolean): boolean {
  const { exitSignal } = signalOf(answer);
  const ticked = boxesOf(boxes);
  if (exitSignal === false || hasPromise(answer) || ticked === "some") return false;
  if (ticked === "all" && willBeChecked) return false;
  const indicators = countIndicators(sentencesOf(answer), {}) + (ticked === "all" ? 1 : 0);
  return exitSignal !== true || indicators < indicatorsMin;
}

function factsOf({ boxes, checksOk, changed }: ExitEvidence): ExitFacts {
  return { ...boxes, checks: checksOk === undefined ? "not_run" : checksOk ? "passed" : "failed", changed };
}

export type ExitJudged = {
  facts: ExitFacts;
  exitSignal: boolean | null;
  contradiction?: string | undefined;
  promise: boolean;
  indicators: number;
  total: number;
  closing?: Closing | undefined;
  refusalGone?: string | undefined;
};

/** How many of the boxes are resolved: an agent that ticks some of them keeps a ledger. */
type Boxes = "none" | "some" | "all";

function boxesOf({ resolved, total }: Pick<ExitFacts, "resolved" | "total">): Boxes {
  if (resolved === 0 || total === 0) return "none";
  return resolved === total ? "all" : "some";
}

type Finished = { finished: boolean; reason: ExitReason };
const yes = (reason: ExitReason): Finished => ({ finished: true, reason });
const no = (reason: ExitReason): Finished => ({ finished: false, reason });

/**
 * The truth table: the first rule that applies wins. A structured no, then the facts, a structured yes, the answer to the closing
 * question, and only then the vote. A row of it is a line of docs/exit-detection.md.
 */
export function finishedBy(judged: ExitJudged, policy: Pick<ExitPolicy, "threshold" | "promise">): Finished {
  const { facts, exitSignal, contradiction, promise, indicators, total, closing } = judged;
  if (contradiction !== undefined) return no({ rule: "exit_contradicted", said: contradiction });
  if (exitSignal === false) return no({ rule: "exit_denied" });
  if (facts.checks === "failed") return no({ rule: "exit_checks_failed" });
  if (policy.promise !== undefined)
    return { finished: promise, reason: { rule: "exit_promise", given: promise } };
  if (closing && !closesDone(closing)) return no({ rule: "exit_closing", ...closing });
  const boxes = boxesOf(facts);
  if (boxes === "all" && facts.checks === "passed" && facts.changed > 0)
    return yes({ rule: "exit_facts", ...facts });
  // What it claims for the whole is not in its own ledger.
  if (boxes === "some") return no({ rule: "exit_boxes_open" });
  const signal = { rule: "exit_signal", indicators, min: indicatorsMin } as const;
  if (exitSignal === true && indicators >= indicatorsMin) return yes(signal);
  if (promise) return yes({ rule: "exit_promise", given: true });
  if (judged.refusalGone !== undefined) return yes({ rule: "exit_refusal_gone", was: judged.refusalGone });
  if (closing) return yes({ rule: "exit_closing", ...closing });
  const vote = { rule: "exit_vote", total, threshold: policy.threshold } as const;
  if (total >= policy.threshold) return yes(vote);
  return no(exitSignal === true ? signal : vote);
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
function countIndicators(
  sentences: readonly string[],
  { checksOk }: { checksOk?: boolean | undefined },
): number {
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
