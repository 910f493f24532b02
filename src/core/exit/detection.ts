/**
 * Decides whether the work is done although the session did not run `monoco issue submit`: by facts, then by the answer to the
 * closing question, then by a vote of signals. A yes submits the work for review; it never approves it.
 */
import * as phrases from "./phrases.ts";
import { closesDone } from "./closing.ts";
import type { Closing } from "./closing.ts";
import { ownLines } from "./own-words.ts";
import { hasPromise } from "./promise.ts";
import type { Settings } from "../settings/settings.ts";
import { exitSignalNames } from "../reason/exit-schema.ts";
import type { ExitFacts, ExitReason, ExitSignal } from "../reason/exit-schema.ts";
import { findStatusBlock } from "./status-block.ts";

export type ExitPolicy = Settings["exit"] & {
  /** The promise of a loop, which alone can end it. */
  promise?: string | undefined;
};

/** The evidence at a session's end. */
export type ExitEvidence = {
  /** The agent's text after its last tool call. */
  answer: string;
  /** The criteria and tasks; `resolved` ones are done, or cancelled with a reason. */
  boxes: { resolved: number; total: number };
  /** The files that the session changed. */
  files: readonly string[];
  /** The number of changed files besides the contract since the last submission, or else since the base. */
  changed: number;
  /** The result of monoco's own last run of the checks; undefined if none ran. */
  checksOk: boolean | undefined;
  /** The charged Executor sessions of this opening before this one, oldest first. */
  before: readonly { done: boolean; testOnly: boolean }[];
  /** The answer to the closing question. */
  closing?: Closing | undefined;
  /** Why an earlier submit was refused, if that reason no longer holds. */
  refusalGone?: string | undefined;
};

/** The weights of the vote (protocol article): ticked boxes weigh most, claims least. */
export const exitWeights: Readonly<Record<ExitSignal["name"], number>> = {
  tasks_complete: 0.4,
  consecutive_done: 0.25,
  test_only: 0.2,
  strong_indicators: 0.15,
};

/** The number of completion indicators that an EXIT_SIGNAL also needs: the dual condition. */
export const indicatorsMin = 2;

export type ExitJudged = {
  facts: ExitFacts;
  /** The value in the status block; null if there is no block, or it was not filled in. */
  exitSignal: boolean | null;
  /** The part of the block that contradicts its yes. */
  contradiction?: string | undefined;
  /** Whether `<promise>COMPLETE</promise>` is on a line of its own. */
  promise: boolean;
  indicators: number;
  total: number;
  closing?: Closing | undefined;
  refusalGone?: string | undefined;
};

/** Scores one session; the same evidence and policy always give the same score. */
export function scoreExit(evidence: ExitEvidence, policy: ExitPolicy) {
  const { answer, boxes, files, changed, checksOk, closing, refusalGone } = evidence;
  const block = findStatusBlock(answer);
  const [exitSignal, contradiction] = [block?.exitSignal ?? null, block?.contradiction];
  const promise = hasPromise(answer, policy.promise);
  const sentences = sentencesOf(answer);
  const said = exitSignal === true || promise || (closing?.done ?? sentences.some(saysDone));
  const done = said && exitSignal !== false && contradiction === undefined;
  const testOnly = areAll(tests, files);
  const strong = sentences.find((one) => shows(one, phrases.strongIndicators));
  const sessions = [...evidence.before, { done, testOnly }];
  const complete = ticked(boxes) === "all";
  const votes: Record<ExitSignal["name"], Vote> = {
    tasks_complete: [complete, { rule: "boxes_resolved", ...boxes }],
    consecutive_done: doneVote(sessions, policy),
    test_only: testVote(sessions, policy),
    strong_indicators: strongVote(strong, promise, files),
  };
  const signals = exitSignalNames.map((name): ExitSignal => {
    return { name, present: votes[name][0], weight: exitWeights[name], reason: votes[name][1] };
  });
  const total = voteOf(signals);
  const checks = checksOk === undefined ? "not_run" : checksOk ? "passed" : "failed";
  const facts = { ...boxes, checks, changed } as const;
  const indicators = indicatorsIn(sentences, checksOk) + (promise ? 1 : 0) + (complete ? 1 : 0);
  const judged = { facts, exitSignal, contradiction, promise, indicators, total, closing, refusalGone };
  return { signals, threshold: policy.threshold, done, testOnly, ...judged, ...finishedBy(judged, policy) };
}

/** The sum of the weights of the signals that are present. */
export function voteOf(signals: readonly Pick<ExitSignal, "present" | "weight">[]): number {
  return (
    Math.round(signals.reduce((sum, { present, weight }) => sum + (present ? weight : 0), 0) * 100) / 100
  );
}

/** Whether to ask the closing question: there is no structured no, and no fact decides. `willBeChecked`: the checks will run. */
export function isUndecided(answer: string, boxes: ExitEvidence["boxes"], willBeChecked: boolean): boolean {
  const block = findStatusBlock(answer);
  if (block?.exitSignal === false) return false;
  return block?.contradiction !== undefined || ticked(boxes) !== "all" || !willBeChecked;
}

/** How many of the boxes are resolved: an agent that ticks some uses them as its ledger. */
function ticked({ resolved, total }: ExitEvidence["boxes"]): "none" | "some" | "all" {
  if (resolved === 0 || total === 0) return "none";
  return resolved === total ? "all" : "some";
}

type Finished = { finished: boolean; reason: ExitReason };
const yes = (reason: ExitReason): Finished => ({ finished: true, reason });
const no = (reason: ExitReason): Finished => ({ finished: false, reason });

/** The truth table: the first rule that applies wins. Each row is a line of docs/exit-detection.md. */
export function finishedBy(judged: ExitJudged, policy: Pick<ExitPolicy, "threshold" | "promise">): Finished {
  const { facts, exitSignal, contradiction, promise, indicators, total, closing, refusalGone } = judged;
  const boxes = ticked(facts);
  if (exitSignal === false) return no({ rule: "exit_denied" });
  if (facts.checks === "failed") return no({ rule: "exit_checks_failed" });
  if (!closing && contradiction !== undefined) return no({ rule: "exit_contradicted", said: contradiction });
  if (policy.promise !== undefined)
    return { finished: promise, reason: { rule: "exit_promise", given: promise } };
  if (closing && !closesDone(closing)) return no({ rule: "exit_closing", ...closing });
  if (boxes === "all" && facts.checks === "passed" && facts.changed > 0)
    return yes({ rule: "exit_facts", ...facts });
  if (closing) return yes({ rule: "exit_closing", ...closing });
  // Without an answer, the agent's ticks, its text and the vote decide.
  if (boxes === "some") return no({ rule: "exit_boxes_open" });
  const signal = { rule: "exit_signal", indicators, min: indicatorsMin } as const;
  if (exitSignal === true && indicators >= indicatorsMin) return yes(signal);
  if (promise) return yes({ rule: "exit_promise", given: true });
  if (refusalGone !== undefined) return yes({ rule: "exit_refusal_gone", was: refusalGone });
  const vote = { rule: "exit_vote", total, threshold: policy.threshold } as const;
  if (total >= policy.threshold) return yes(vote);
  return no(exitSignal === true ? signal : vote);
}

/** A signal's presence, and the observation behind it. */
type Vote = [present: boolean, reason: ExitSignal["reason"]];

function doneVote(sessions: ExitEvidence["before"], { doneSessions: of }: ExitPolicy): Vote {
  const inARow = streak(sessions.map(({ done }) => done));
  return [inARow >= of, { rule: "said_done", streak: inARow, of }];
}

function testVote(sessions: ExitEvidence["before"], policy: ExitPolicy): Vote {
  const { testSessions: of, testSharePercent } = policy;
  const inARow = streak(sessions.map(({ testOnly }) => testOnly));
  const percent = Math.round((sessions.filter(({ testOnly }) => testOnly).length / sessions.length) * 100);
  const share = percent > testSharePercent ? { sharePercent: percent } : {};
  return [inARow >= of, { rule: "changed_tests_only", streak: inARow, of, ...share }];
}

function strongVote(said: string | undefined, promise: boolean, files: readonly string[]): Vote {
  if (promise) return [true, { rule: "strong_promise" }];
  if (said !== undefined) return [true, { rule: "strong_words", said: said.slice(0, 80) }];
  const documented = areAll(documentation, files);
  return [documented, { rule: documented ? "strong_documentation" : "strong_none" }];
}

/** The length of the run of `true` at the end. */
export function streak(values: readonly boolean[]): number {
  return values.length - 1 - values.lastIndexOf(false);
}

/** The number of different indicators in the sentences; `checksOk` overrules the agent's claim that tests pass. */
function indicatorsIn(sentences: readonly string[], checksOk: boolean | undefined): number {
  const isKnown = (pattern: RegExp): boolean => checksOk === true && pattern === phrases.testsPass;
  return phrases.completionIndicators.filter(
    (one) => isKnown(one) || sentences.some((said) => one.test(said)),
  ).length;
}

function shows(sentence: string, patterns: readonly RegExp[]): boolean {
  return patterns.some((pattern) => pattern.test(sentence));
}

/** Whether a sentence says that the work is done. */
const saysDone = (sentence: string): boolean => shows(sentence, phrases.doneSignals);

/** Only the end of a long answer counts: conclusions come last. */
const answerCharsMax = 20_000;

/** The agent's statements about its work, without code, quotations, status blocks, plans, doubts and denials. */
function sentencesOf(answer: string): string[] {
  return ownLines(answer.slice(-answerCharsMax))
    .map((line) => line.replace(/`[^`]*`|"[^"]{0,200}"|“[^”]{0,200}”|「[^」]{0,200}」/g, " "))
    .filter((line) => !/^\s*"?[A-Z][A-Z_]+"?\s*:/.test(line))
    .flatMap((line) => line.trim().split(/(?<=[.!?。！？；;])\s*/))
    .filter((sentence) => !shows(sentence.replace(phrases.nothingLeft, " "), phrases.denials));
}

const tests = /(?:^|\/)(?:tests?|__tests__|spec|e2e)\/|[._-](?:test|spec)\.[^/]+$|(?:^|\/)test_[^/]+$/i;
const documentation = /(?:^|\/)docs?\/|\.(?:md|mdx|rst|adoc|txt)$/i;

function areAll(kind: RegExp, files: readonly string[]): boolean {
  return files.length > 0 && files.every((path) => kind.test(path));
}
