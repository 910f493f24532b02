/** How a turn of Codex ended, by its typed error, and when a used-up limit resets. */
import { z } from "zod";
import { optionalText } from "../lines.ts";
import type { AgentEnding } from "../../core/journal/event.ts";
import type { AgentUpdate } from "../../core/session/update.ts";
import { isOutage } from "../outage.ts";

/** A word (`usageLimitExceeded`), or an object with one key (`httpConnectionFailed`) that holds the status of the answer. */
const kindSchema = z.union([
  z.string().transform((name) => ({ name, status: undefined })),
  z.record(z.string(), z.object({ httpStatusCode: z.int().nullish() }).catch({})).transform((kind) => {
    const [name = "other", { httpStatusCode } = {}] = Object.entries(kind)[0] ?? [];
    return { name, status: httpStatusCode ?? undefined };
  }),
]);

export const turnErrorSchema = z.object({
  message: z.string().catch(""),
  codexErrorInfo: kindSchema.catch({ name: "other", status: undefined }),
  additionalDetails: optionalText,
});
export type TurnError = z.infer<typeof turnErrorSchema>;

export const turnSchema = z.object({
  id: z.string(),
  status: z.string().catch(""),
  error: turnErrorSchema.nullish().catch(undefined),
});
type Turn = z.infer<typeof turnSchema>;

/** Seconds since 1970. */
const windowSchema = z
  .object({ usedPercent: z.number(), resetsAt: z.number().nonnegative().max(1e11).nullish() })
  .nullish()
  .catch(undefined);

export const rateLimitsSchema = z.object({ primary: windowSchema, secondary: windowSchema });
export type RateLimits = z.infer<typeof rateLimitsSchema>;

/** Facts besides the last error: the account's limits and the clock of the process. */
export type Circumstances = { limits: RateLimits; nowMs: number | undefined };

export function endOf(turn: Turn, circumstances: Circumstances): AgentUpdate[] {
  if (turn.status === "completed") return [ended("completed", "its turn completed")];
  if (turn.status === "interrupted") return [ended("interrupted", "its turn was interrupted")];
  if (turn.status !== "failed") return [ended("unknown", `its turn ended as "${turn.status}"`)];
  const { error } = turn;
  if (!error) return [ended("failure", "its turn failed, and it does not say of what")];
  const ending = endingOf(error);
  const limit: AgentUpdate[] = ending === "usage_limit" ? [limitOf(error, circumstances)] : [];
  return [...limit, ended(ending, evidenceOf(error))];
}

export function ended(ending: AgentEnding, evidence: string): AgentUpdate {
  return { type: "ended", ending, evidence: evidence.slice(0, evidenceLengthMax) };
}

const evidenceLengthMax = 500;

const endings: ReadonlyMap<string, AgentEnding> = new Map([
  ["internalServerError", "outage"],
  ["serverOverloaded", "outage"],
  ["contextWindowExceeded", "context_limit"],
  // A retry does not help: a person has to name another model.
  ["modelNotFound", "needs_login"],
  ["sessionBudgetExceeded", "budget"],
  ["unauthorized", "needs_login"],
  ["usageLimitExceeded", "usage_limit"],
]);

/** Not logged in, not paid, not allowed: only a person can fix these. */
const statusesForPerson = new Set([401, 402, 403]);

function endingOf({ codexErrorInfo, message }: TurnError): AgentEnding {
  if (codexErrorInfo.status !== undefined && statusesForPerson.has(codexErrorInfo.status)) {
    return "needs_login";
  }
  // The provider's `env_key` is missing; this error has no kind of its own.
  if (message.startsWith(missingVariable)) return "needs_login";
  // An account without credit has the kind of a used-up limit, without a reset time.
  if (codexErrorInfo.name === "usageLimitExceeded" && message.startsWith("Quota exceeded")) {
    return "needs_login";
  }
  if (isLost(codexErrorInfo, message)) return "outage";
  return endings.get(codexErrorInfo.name) ?? "failure";
}

/** No connection, a broken connection, or an answer from a busy server; a cut connection has no kind of its own. */
function isLost({ name, status }: TurnError["codexErrorInfo"], message: string): boolean {
  if (connections.has(name)) return status === undefined || isOutage(status);
  return name === "other" && message.startsWith("stream disconnected before completion: Transport error");
}

const connections = new Set([
  "httpConnectionFailed",
  "responseStreamConnectionFailed",
  "responseStreamDisconnected",
  "responseTooManyFailedAttempts",
]);

const missingVariable = "Missing environment variable: ";

export function evidenceOf({ codexErrorInfo: { name, status }, message }: TurnError): string {
  const hint = message.startsWith(missingVariable) ? " If it is set, pass it on by `env:` of the agent." : "";
  return `${name}${status === undefined ? "" : ` ${status}`}: ${message}${hint}`;
}

function limitOf({ message }: TurnError, { limits, nowMs }: Circumstances): AgentUpdate {
  const resetsAtMs = resetByWindows(limits) ?? resetByWords(message, nowMs);
  return { type: "limit", text: message, ...(resetsAtMs === undefined ? {} : { resetsAtMs }) };
}

function resetByWindows({ primary, secondary }: RateLimits): number | undefined {
  const times = [primary, secondary].flatMap((window) =>
    window?.resetsAt && window.usedPercent >= 100 ? [window.resetsAt] : [],
  );
  return times.length > 0 ? Math.round(Math.max(...times) * 1000) : undefined;
}

const minuteMs = 60_000;

/** Reads "Try again at 4:53 PM" (today) or "at Nov 28th, 2026 3:33 PM": local time, with the seconds cut off. */
function resetByWords(message: string, nowMs: number | undefined): number | undefined {
  const [, month, day, year, time] =
    /try again at (?:([A-Z][a-z]{2}) (\d{1,2})[a-z]{2}, (\d{4}) )?(\d{1,2}:\d\d [AP]M)/i.exec(message) ?? [];
  if (time === undefined || (month === undefined && nowMs === undefined)) return undefined;
  const date = month === undefined ? new Date(nowMs!).toDateString() : `${month} ${day}, ${year}`;
  const resetsAtMs = Date.parse(`${date} ${time}`) + minuteMs;
  return resetsAtMs >= 0 ? resetsAtMs : undefined;
}
