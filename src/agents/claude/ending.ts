/** How a Claude Code session ended, by its `result`, as measured on 2.1.332: no single field of `result` is trusted. */
import type { AgentEnding } from "../../core/journal/event.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import { isOutage } from "../outage.ts";
import type { Result } from "./lines.ts";

/** Limits that only the text of a result reports: an API key's spending limit (400), or a gateway's (429). */
export function limitInWords(result: Result): (AgentUpdate & { type: "limit" }) | undefined {
  if (result.terminal_reason !== "api_error") return undefined;
  const text = wordsOf(result);
  const resetsAtMs = result.api_error_status === 400 ? spendingResetMs(text) : gatewayResetMs(text);
  return resetsAtMs === undefined
    ? undefined
    : { type: "limit", text, ...(resetsAtMs >= 0 ? { resetsAtMs } : {}) };
}

/** NaN for a spending limit without a time; undefined for any other text. */
function spendingResetMs(text: string): number | undefined {
  if (!/reached your specified API usage limits/i.test(text)) return undefined;
  const [, day, time] = /regain access on (\d{4}-\d\d-\d\d) at (\d\d:\d\d) UTC/.exec(text) ?? [];
  return Date.parse(`${day}T${time}:00Z`);
}

function gatewayResetMs(text: string): number | undefined {
  const seconds = /usage limit reached\|(\d{10})\b/i.exec(text)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

const endings: Record<string, AgentEnding> = {
  stop_hook_prevented: "completed",
  hook_stopped: "completed",
  max_turns: "budget",
  budget_exhausted: "budget",
  blocking_limit: "context_limit",
  prompt_too_long: "context_limit",
  rapid_refill_breaker: "context_limit",
  aborted_tools: "interrupted",
  aborted_streaming: "interrupted",
  image_error: "failure",
  structured_output_retry_exhausted: "failure",
};

/**
 * Ignores `subtype`, which says "success" of every failed request, and the exit status, which is 0 on SIGINT. `error` is the
 * kind of the last error that the CLI put in place of the model's answer.
 */
export function endingOf(result: Result, error: string | undefined): AgentEnding {
  const reason = result.terminal_reason;
  if (!reason) return result.is_error ? "failure" : "unknown";
  if (reason === "completed") return result.is_error === false ? "completed" : "failure";
  if (reason === "api_error") return endingOfError(result, error);
  // The request exceeded the API's maximum size, which the CLI calls an image error: a fresh conversation has room again.
  if (reason === "image_error" && result.api_error_status === 413) return "context_limit";
  return Object.hasOwn(endings, reason) ? endings[reason]! : "unknown";
}

/** Errors that a retry does not fix. */
const errorsForPerson = new Set([
  "authentication_failed",
  "billing_error",
  "oauth_org_not_allowed",
  "model_not_found",
]);

function endingOfError(result: Result, error: string | undefined): AgentEnding {
  if (result.api_error === "usage_limit_reached") return "usage_limit";
  if (result.api_error_status === 401 || result.api_error_status === 403) return "needs_login";
  if (errorsForPerson.has(error ?? "")) return "needs_login";
  const outage = result.api_error === "connection_failed" || isOutage(result.api_error_status ?? undefined);
  return outage ? "outage" : "failure";
}

const evidenceLengthMax = 500;

export function evidenceOf(result: Result): string {
  const facts = [
    `terminal_reason ${result.terminal_reason ?? "(none)"}`,
    result.api_error ? `api_error ${result.api_error}` : "",
    result.api_error_status ? `status ${result.api_error_status}` : "",
    result.stop_reason === "refusal" ? "stop_reason refusal" : "",
    result.safety_stops ? `safety_stops ${result.safety_stops}` : "",
    result.is_error || !result.terminal_reason ? wordsOf(result) : "",
  ];
  return facts.filter(Boolean).join(", ").slice(0, evidenceLengthMax);
}

export function wordsOf(result: Result): string {
  return result.errors?.join("; ") || result.result || "";
}
