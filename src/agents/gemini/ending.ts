/** How a session of Gemini CLI ended: by all that was seen of it, since the CLI itself calls most ends a success. */
import type { AgentEnding } from "../../core/journal/event.ts";
import { delayInWords } from "../../core/session/reset-time.ts";
import { isOutage } from "../outage.ts";

/** What counts, when its process is gone. */
export type GeminiEnd = {
  exit: { exitCode: number | undefined; signal?: string | undefined; stderr: string };
  /** It has told which session it is. */
  identified: boolean;
  /** Why the last answer ended, in the words of OpenTelemetry. */
  finish?: string | undefined;
  result?: GeminiResult | undefined;
  /** The CLI's own word on why it stops. */
  error?: string | undefined;
  /** It would have waited longer than it may, for a quota. */
  waited?: string | undefined;
  /** It was ended because its model was silent again and again, for so long in all. */
  silentMs?: number | undefined;
  /** The model has said something since the last tool. */
  answered: boolean;
  contextTokens: number;
  windowTokens: number;
};

export type GeminiResult = { status: string; message: string; atMs: number };

type Ended = { ending: AgentEnding; evidence: string };

/** Never done where that cannot be told. */
export function endingOf(end: GeminiEnd): Ended {
  if (end.waited !== undefined) return { ending: "usage_limit", evidence: end.waited };
  if (end.silentMs !== undefined) {
    const seconds = Math.round(end.silentMs / 1000);
    return {
      ending: "failure",
      evidence: `one answer went silent again and again, for ${seconds} s in all`,
    };
  }
  if (!end.result) return withoutResult(end);
  if (end.result.status === "success") return afterSuccess(end);
  if (end.result.status === "error") return afterError(end, end.result);
  return { ending: "unknown", evidence: `a result of the status "${end.result.status}"` };
}

/** On TERM it says nothing, and its exit status is 0. */
function withoutResult({ exit, identified }: GeminiEnd): Ended {
  const { exitCode, signal } = exit;
  const evidence = `${signal ? `signal ${signal}` : `exit status ${exitCode ?? "unknown"}`} without a result`;
  if (exitCode === loginExit) return { ending: "needs_login", evidence: lastWords(exit, evidence) };
  if (exitCode === 0 && !identified)
    return { ending: "failure", evidence: "it ended (exit status 0) before it had said how it ended" };
  if (signal || exitCode === 0 || exitCode === 130 || exitCode === 143)
    return { ending: "interrupted", evidence };
  return { ending: "failure", evidence: lastWords(exit, evidence) };
}

const loginExit = 41;
const turnsExit = 53;

const atStart = /^(?:YOLO mode is enabled|The 'metricReader' option is deprecated|Ripgrep is not available)/;

/** Without what it says at every start; its settings are those of a home of the session's own, a person's are in theirs. */
function lastWords({ stderr }: GeminiEnd["exit"], evidence: string): string {
  const said = stderr.split("\n").filter((line) => line.trim() !== "" && !atStart.test(line));
  const lines = said
    .slice(-2)
    .join(" ")
    .replace(/\bin your \/.*?\/gemini-home\/(?=\.gemini\/)/, "in your ~/");
  return lines === "" ? evidence : `${evidence}: ${lines}`;
}

/** The other reason is `stop`. */
const finishes = new Map([
  ["length", "its last answer was cut off at the most tokens that an answer may have"],
  ["content_filter", "its last answer was stopped by a filter"],
  ["error", "its last answer ended in an error"],
]);

/** A share of the window: beyond it an end without an answer is taken for a full context. */
const fullShare = 0.9;

function afterSuccess({ exit, finish = "not told", error, ...end }: GeminiEnd): Ended {
  if (error?.includes("turns exceeded")) return { ending: "budget", evidence: error };
  if (error) return { ending: "failure", evidence: error };
  if (exit.exitCode !== 0)
    return { ending: "failure", evidence: `a result, and exit status ${exit.exitCode ?? "unknown"}` };
  if (!end.answered) {
    const evidence = `it stopped without an answer, at ${end.contextTokens} tokens of context`;
    const full = end.windowTokens > 0 && end.contextTokens >= fullShare * end.windowTokens;
    return { ending: full ? "context_limit" : "unknown", evidence };
  }
  const cut = finishes.get(finish);
  if (cut) return { ending: "failure", evidence: `${cut} (${finish})` };
  return { ending: "completed", evidence: `result success, finish reason ${finish}` };
}

/** By the API's own status where it is told: the exit status is that of HTTP, cut to eight bits. */
function afterError({ exit, error }: GeminiEnd, result: GeminiResult): Ended {
  const words = wordsOf(result) || error || "an error without words";
  const status = statusOf(exit.exitCode, words);
  return {
    ending: exit.exitCode === turnsExit ? "budget" : endingOfError(status, words),
    evidence: `${status ? `status ${status}: ` : ""}${words}`,
  };
}

function endingOfError(status: number | undefined, words: string): AgentEnding {
  if (status === 429 && isQuota(words)) return "usage_limit";
  if (isOutage(status) || (status === undefined && lostConnection.test(words))) return "outage";
  if (status === 401 || status === 403 || forPerson.test(words)) return "needs_login";
  return /exceeds the maximum number of tokens/i.test(words) ? "context_limit" : "failure";
}

/** Trying again costs the same and helps as little: a key, a bill, a model that is not there. */
const forPerson =
  /API_KEY_INVALID|API key (?:not valid|expired)|billing|(?:models\/\S+ is|entity was) not found/i;

/** In the words of Node's `fetch`, which the CLI passes on. */
const lostConnection =
  /^terminated$|\b(?:fetch failed|socket hang up|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)\b/;

/** What the API said, without the advice that the CLI puts behind it. */
function wordsOf({ message }: GeminiResult): string {
  return /^\[API Error: ([\s\S]*)\]/.exec(message)?.[1] ?? message;
}

const statuses = [400, 401, 403, 404, 429, 499, 500, 502, 503, 504];

function statusOf(exitCode: number | undefined, words: string): number | undefined {
  const [, told] = /"code":(\d{3})\b/.exec(words) ?? [];
  return told ? Number(told) : statuses.find((status) => (status & 255) === exitCode);
}

/** A busy server answers 429 as well. */
function isQuota(words: string): boolean {
  return /quota|retry (?:after|in) \d/i.test(words) && !/no capacity available/i.test(words);
}

/** The limit that a result tells, with the time when it is over, if that is told too. */
export function limitOf(result: GeminiResult): { text: string; resetsAtMs?: number } {
  const text = wordsOf(result);
  const resetsAtMs = result.atMs + (delayInWords(text) ?? NaN);
  return { text, ...(resetsAtMs >= 0 ? { resetsAtMs } : {}) };
}
