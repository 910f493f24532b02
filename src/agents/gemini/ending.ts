/** How a session of Gemini CLI ended. The CLI calls most ends a success, so everything that was seen counts. */
import type { AgentEnding } from "../../core/journal/event.ts";
import { delayInWords } from "../../core/session/reset-time.ts";
import { isOutage } from "../outage.ts";

/** The facts that decide the ending, once the process is gone. */
export type GeminiEnd = {
  exit: { exitCode: number | undefined; signal?: string | undefined; stderr: string };
  /** The CLI has reported its session id. */
  identified: boolean;
  /** Why the last answer ended, in the words of OpenTelemetry. */
  finish?: string | undefined;
  result?: GeminiResult | undefined;
  /** The CLI's own reason for stopping. */
  error?: string | undefined;
  /** The quota error whose wait was longer than `waitMsMax`. */
  waited?: string | undefined;
  /** The sum of the silences for which the session was ended. */
  silentMs?: number | undefined;
  /** The model has said something since the last tool. */
  answered: boolean;
  contextTokens: number;
  windowTokens: number;
};

export type GeminiResult = { status: string; message: string; atMs: number };

type Ended = { ending: AgentEnding; evidence: string };

/** The ending; `completed` only if that is certain. */
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

/** On TERM the CLI prints nothing and exits with status 0. */
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

/** The last lines of standard error, without those of every start. The path of the session's own home is shown as the person's. */
function lastWords({ stderr }: GeminiEnd["exit"], evidence: string): string {
  const said = stderr.split("\n").filter((line) => line.trim() !== "" && !atStart.test(line));
  const lines = said
    .slice(-2)
    .join(" ")
    .replace(/\bin your \/.*?\/gemini-home\/(?=\.gemini\/)/, "in your ~/");
  return lines === "" ? evidence : `${evidence}: ${lines}`;
}

/** Finish reasons other than `stop`. */
const finishes = new Map([
  ["length", "its last answer was cut off at the most tokens that an answer may have"],
  ["content_filter", "its last answer was stopped by a filter"],
  ["error", "its last answer ended in an error"],
]);

/** The share of the window beyond which an end without an answer counts as a full context. */
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

/** Goes by the API's own status if reported: the exit status is the HTTP status, cut to eight bits. */
function afterError({ exit, error }: GeminiEnd, result: GeminiResult): Ended {
  const text = wordsOf(result) || error || "an error without words";
  const status = statusOf(exit.exitCode, text);
  return {
    ending: exit.exitCode === turnsExit ? "budget" : endingOfError(status, text),
    evidence: `${status ? `status ${status}: ` : ""}${text}`,
  };
}

function endingOfError(status: number | undefined, text: string): AgentEnding {
  if (status === 429 && isQuota(text)) return "usage_limit";
  if (isOutage(status) || (status === undefined && lostConnection.test(text))) return "outage";
  if (status === 401 || status === 403 || forPerson.test(text)) return "needs_login";
  return /exceeds the maximum number of tokens/i.test(text) ? "context_limit" : "failure";
}

/** Errors that a retry does not fix: a key, a bill, a missing model. */
const forPerson =
  /API_KEY_INVALID|API key (?:not valid|expired)|billing|(?:models\/\S+ is|entity was) not found/i;

/** The messages of Node's `fetch`, which the CLI passes on. */
const lostConnection =
  /^terminated$|\b(?:fetch failed|socket hang up|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)\b/;

/** The API's message, without the advice that the CLI appends. */
function wordsOf({ message }: GeminiResult): string {
  return /^\[API Error: ([\s\S]*)\]/.exec(message)?.[1] ?? message;
}

const statuses = [400, 401, 403, 404, 429, 499, 500, 502, 503, 504];

function statusOf(exitCode: number | undefined, text: string): number | undefined {
  const [, code] = /"code":(\d{3})\b/.exec(text) ?? [];
  return code ? Number(code) : statuses.find((status) => (status & 255) === exitCode);
}

/** Tells a used-up quota from a busy server, which answers 429 as well. */
function isQuota(text: string): boolean {
  return /quota|retry (?:after|in) \d/i.test(text) && !/no capacity available/i.test(text);
}

/** The limit that a result reports, with its reset time if it names one. */
export function limitOf(result: GeminiResult): { text: string; resetsAtMs?: number } {
  const text = wordsOf(result);
  const resetsAtMs = result.atMs + (delayInWords(text) ?? NaN);
  return { text, ...(resetsAtMs >= 0 ? { resetsAtMs } : {}) };
}
