/** Accounts: a usage limit, a missing login or an old program suspends one, for all agents that share it. */
import {
  backoffSecondsMax,
  resetJitterMsMax,
  resetJitterShare,
  usageLimitMsMax,
  usageLimitMsMin,
} from "../limits.ts";
import type { AccountReason } from "../reason/account-schema.ts";
import { findAgent } from "../settings/agent-entry.ts";
import type { Settings } from "../settings/settings.ts";

/** The reason and the end of a suspension. Without a time, a person has to log in or update, by the command in `program`. */
export type Suspension = {
  account: string;
  sinceMs: number;
  untilMs?: number;
  reason: AccountReason;
  program?: string | undefined;
};

/**
 * The account that a usage limit or a missing login suspends. Agents of one vendor share an account, unless an entry sets its
 * own environment (another login); any other program is an account by itself.
 */
export function accountOf(settings: Settings, agent: string): string {
  return hasKeys(findAgent(settings, agent)?.env) ? agent : vendorOf(settings, agent);
}

/**
 * The vendor of an agent's model: its kind for the built-in adapters, the program's name for any other.
 * OpenCode serves many vendors: its model's name decides.
 */
export function vendorOf(settings: Settings, agent: string): string {
  const entry = findAgent(settings, agent);
  if (!entry || entry.run !== undefined || entry.script !== undefined) return agent;
  return entry.kind === "opencode" && entry.model ? `opencode/${entry.model.split("/")[0]}` : entry.kind;
}

function hasKeys(value: object | undefined): boolean {
  return Object.keys(value ?? {}).length > 0;
}

/**
 * The end of a usage limit that names `resetsAtMs`, capped. If the time is past or the limit recurs (`inARow`),
 * the wait is a minute, doubled from the third in a row on.
 */
export function limitedUntil(resetsAtMs: number, now: { nowMs: number; inARow: number }): number {
  const namedMs = resetsAtMs - now.nowMs;
  const backoffMs = Math.min(usageLimitMsMin * 2 ** Math.max(now.inARow - 2, 0), backoffSecondsMax * 1000);
  const leastMs = now.inARow > 1 || namedMs <= 0 ? backoffMs : 0;
  return now.nowMs + Math.min(Math.max(namedMs, leastMs), usageLimitMsMax);
}

/**
 * When a suspended account is tried again: after the limit, plus a random delay (`jitter`, from 0
 * to 1), so that relays that wait for the same account do not return all at once.
 */
export function triedAgainMs({ sinceMs, untilMs = Infinity }: Suspension, jitter: number): number {
  return untilMs + Math.round(jitter * Math.min(resetJitterMsMax, (untilMs - sinceMs) * resetJitterShare));
}
