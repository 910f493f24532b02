/** Accounts: what a usage limit or a missing login takes out of the game, for all agents that share it. */
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

/** Why an account cannot be used, and until when; without a time a person has to log in, to the `program` that it tells. */
export type Suspension = {
  account: string;
  sinceMs: number;
  untilMs?: number;
  reason: AccountReason;
  program?: string | undefined;
};

/**
 * What a usage limit or a missing login suspends. Agents of one vendor share an account, unless their entry brings an
 * environment of its own (another login); any other program is an account of its own.
 */
export function accountOf(settings: Settings, agent: string): string {
  return hasKeys(findAgent(settings, agent)?.env) ? agent : vendorOf(settings, agent);
}

/**
 * Whose model an agent is: its kind, for the adapters to one vendor's program; any other program is told by its name.
 * OpenCode speaks to many vendors: its model names which.
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
 * Until when a usage limit that names `resetsAtMs` is respected: as long as it says, but not endless. A limit that names a time
 * gone by, or comes again (`inARow`), backs off: a minute, from the third in a row on twice as long each time.
 */
export function limitedUntil(resetsAtMs: number, now: { nowMs: number; inARow: number }): number {
  const namedMs = resetsAtMs - now.nowMs;
  const backoffMs = Math.min(usageLimitMsMin * 2 ** Math.max(now.inARow - 2, 0), backoffSecondsMax * 1000);
  const leastMs = now.inARow > 1 || namedMs <= 0 ? backoffMs : 0;
  return now.nowMs + Math.min(Math.max(namedMs, leastMs), usageLimitMsMax);
}

/**
 * When a suspended account is tried again: never before the limit is over, and a little later by chance (`jitter`, from 0
 * to 1), so that all that wait for one account do not come back at one moment.
 */
export function triedAgainMs({ sinceMs, untilMs = Infinity }: Suspension, jitter: number): number {
  return untilMs + Math.round(jitter * Math.min(resetJitterMsMax, (untilMs - sinceMs) * resetJitterShare));
}
