/** Codex's errors that it will retry; only some of them name the wait. */
import { retryWaitMsMax } from "../../core/limits.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import { ended, evidenceOf } from "./ending.ts";
import type { TurnError } from "./ending.ts";

const tooManyRequests = 429;

/** Codex waits however long it takes; a wait longer than a session's maximum counts as a limit. */
export function endOfRetry(error: TurnError, nowMs: number | undefined): AgentUpdate[] {
  const text = error.additionalDetails ?? error.message;
  const waitsMs = waitInWords(text);
  if (waitsMs !== undefined && waitsMs > retryWaitMsMax) {
    const over = nowMs === undefined ? {} : { resetsAtMs: nowMs + waitsMs };
    return [{ type: "limit", text, ...over }, ended("usage_limit", text)];
  }
  // Codex retries a 429 only after a `retry-after`, and does not report that wait.
  if (error.codexErrorInfo.status === tooManyRequests)
    return [{ type: "waiting", why: evidenceOf({ ...error, message: text }) }];
  return [];
}

/** The wait, in ms, that Codex reads from a rate limit's message. Codex ignores every unit but these. */
function waitInWords(text: string): number | undefined {
  const [, amount, unit] =
    /^rate limit exceeded: .*try again in\s*(\d{1,9}(?:\.\d+)?)\s*(ms|s|seconds?)\b/is.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  return Math.ceil(Number(amount) * (unit.toLowerCase() === "ms" ? 1 : 1000));
}
