/** How a session of OpenCode ended, by its error, and when a used-up limit resets. */
import type { AgentEnding } from "../../core/journal/event.ts";
import { retryWaitMsMax } from "../../core/limits.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import type { SessionError } from "./lines.ts";
import { isOutage } from "../outage.ts";

/** 1.18.33 gives up after five attempts, in 75 s; earlier versions never did. */
const retriesMax = 8;

export type Retry = {
  attempt: number;
  message: string;
  /** When OpenCode tries again. */
  next?: number | null | undefined;
  action?: { reason: string } | null | undefined;
};

/** The reasons of OpenCode's own plans for a used-up limit. A limit of any other provider is recognized by its long wait. */
const limitReasons = new Set(["account_rate_limit", "free_tier_limit"]);

/** Ends a session whose retries are not worth waiting for: at a limit, or after too many attempts. */
export function endOfRetries({ attempt, message, next, action }: Retry, atMs: number): AgentUpdate[] {
  const waitsMs = (next ?? atMs) - atMs;
  if (waitsMs > retryWaitMsMax) return limited(message, atMs + waitsMs);
  if (action && limitReasons.has(action.reason)) return limited(message);
  return attempt > retriesMax ? [ended("outage", `tried ${attempt} times: ${message}`)] : [];
}

export function endOfError(error: SessionError, atMs: number): AgentUpdate[] {
  const { message, statusCode, responseHeaders } = error.data;
  const evidence = `${error.name}${statusCode ? ` ${statusCode}` : ""}: ${message ?? ""}`;
  const ending = endingOf(error);
  const resetsAtMs = statusCode === 429 ? resetOf(responseHeaders ?? {}, atMs) : undefined;
  // A 429 without a time comes from a busy server.
  return ending === "outage" && resetsAtMs !== undefined
    ? limited(evidence, resetsAtMs)
    : [ended(ending, evidence)];
}

const endings: ReadonlyMap<string, AgentEnding> = new Map([
  ["ContextOverflowError", "context_limit"],
  ["ProviderAuthError", "needs_login"],
  ["MessageAbortedError", "interrupted"],
]);

/** Not logged in, not paid, not allowed: only a person can fix these. */
const statusesForPerson = new Set([401, 402, 403]);

/** OpenCode reports a missing model for a provider without a login: a person has to log in there, or to name another model. */
const noSuchModel = /^Model not found: /;

function endingOf({ name, data }: SessionError): AgentEnding {
  if (name === "UnknownError" && noSuchModel.test(data.message ?? "")) return "needs_login";
  if (name !== "APIError") return endings.get(name) ?? "failure";
  if (data.statusCode && statusesForPerson.has(data.statusCode)) return "needs_login";
  // An account without credit has the status of a used-up limit, without a reset time.
  if (/"code"\s*:\s*"insufficient_quota"/.test(data.responseBody ?? "")) return "needs_login";
  return isOutage(data.statusCode ?? undefined) || isLost(data) ? "outage" : "failure";
}

/** A failed connection has no status and is retryable. */
function isLost({ statusCode, isRetryable }: SessionError["data"]): boolean {
  return !statusCode && isRetryable === true;
}

/** `retry-after` holds seconds or a date; OpenRouter's header holds a time. */
function resetOf(headers: Readonly<Record<string, string>>, atMs: number): number | undefined {
  const retryAfter = headers["retry-after"] ?? "";
  const seconds = Number(retryAfter || Number.NaN);
  if (retryAfter !== "") return whole(seconds >= 0 ? atMs + seconds * 1000 : Date.parse(retryAfter));
  const reset = Number(headers["x-ratelimit-reset"] ?? Number.NaN);
  return whole(reset > 1e12 ? reset : Number.NaN);
}

function whole(timeMs: number): number | undefined {
  return timeMs >= 0 && timeMs < 1e14 ? Math.round(timeMs) : undefined;
}

function limited(text: string, resetsAtMs?: number): AgentUpdate[] {
  const time = whole(resetsAtMs ?? Number.NaN);
  return [
    { type: "limit", text, ...(time === undefined ? {} : { resetsAtMs: time }) },
    ended("usage_limit", text),
  ];
}

/** The ending for the reason of the model's last answer, if nothing failed. */
export function endOfAnswer(reason: string | undefined): AgentUpdate {
  if (reason === "stop") return ended("completed", "it stopped, and its stop hook let it");
  if (reason === "length")
    return ended("failure", "its answer was cut off: the model's output limit (length)");
  if (reason === "tool-calls") return ended("failure", "it stopped in the middle of its work (tool-calls)");
  return ended("unknown", `its last answer ended as "${reason ?? "(none)"}"`);
}

const evidenceLengthMax = 500;

export function ended(ending: AgentEnding, evidence: string): AgentUpdate {
  return { type: "ended", ending, evidence: evidence.slice(0, evidenceLengthMax) };
}
