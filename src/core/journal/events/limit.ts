/** Folds events of the breaker, usage limits and the hourly rate, and suspends accounts. */
import { backoffSecondsMax, outageBackoffSecondsMin } from "../../limits.ts";
import { becauseOf } from "../../reason/reason.ts";
import { timeOf } from "../../text/figures.ts";
import { accountOf, limitedUntil } from "../account.ts";
import type { Suspension } from "../account.ts";
import { endsInARow } from "../counts.ts";
import type { EventOf } from "../event.ts";
import type { Opening } from "../relay-state.ts";
import type { limitSchemas } from "./limit-schema.ts";
import type { RecordsOf } from "./record.ts";
import { openingOf } from "./subject.ts";
import { t } from "../../language/translate.ts";

export const limitRecords: RecordsOf<typeof limitSchemas> = {
  "breaker.changed": {
    fold: (state, event) => {
      const opening = openingOf(state);
      if (event.to === "closed") delete opening.breaker;
      else opening.breaker = event;
      if (event.to === "open") opening.freshSince = "breaker";
    },
    sentence: (event) => [event.to === "open" ? "bad" : "plain", changeWords(event)],
  },
  "limit.hit": {
    fold: (state, event) => suspendForLimit(openingOf(state), event),
    sentence: (event) => [
      "bad",
      t`usage limit of ${event.agent} until ${timeOf(event.resetsAtMs)}${event.resetGuessed ? t` (a guess: no time is named)` : ""}`,
    ],
  },
  "agent.suspended": {
    fold: (state, { account, atMs, untilMs, reason, program }) =>
      suspend(openingOf(state), {
        account,
        sinceMs: atMs,
        reason,
        ...(untilMs !== undefined && { untilMs }),
        ...(program !== undefined && { program }),
      }),
    sentence: ({ account, untilMs, reason, by }) =>
      untilMs === undefined
        ? ["bad", t`${account} is not used: ${becauseOf(reason)}`]
        : ["dim", t`${account} is not used until ${timeOf(untilMs)}: ${becauseOf(reason)} (${by})`],
  },
  "rate.limited": {
    fold: (state, event) => {
      const { sinceResume } = openingOf(state);
      const untilMs = Math.max(sinceResume.wait.untilMs, event.untilMs);
      sinceResume.wait = { untilMs, reason: event.reason };
    },
    sentence: (event) => ["plain", t`waits until ${timeOf(event.untilMs)}: ${becauseOf(event.reason)}`],
  },
};

function changeWords({ to, reason, untilMs }: EventOf<"breaker.changed">): string {
  const because = becauseOf(reason);
  if (to === "closed") return t`no longer paused: ${because}`;
  if (to === "half_open") return t`one session tries again: ${because}`;
  return untilMs === undefined ? t`paused: ${because}` : t`paused until ${timeOf(untilMs)}: ${because}`;
}

export function suspendForLimit(
  opening: Opening,
  { agent, resetsAtMs, atMs }: { agent: string; resetsAtMs: number; atMs: number },
): void {
  const name = accountOf(opening.settings, agent);
  const ofAccount = opening.sessions.filter((one) => accountOf(opening.settings, one.agent) === name);
  const inARow = endsInARow(ofAccount, ({ reason }) => reason === "usage_limit");
  const untilMs = limitedUntil(resetsAtMs, { nowMs: atMs, inARow });
  const reason = { rule: "usage_limit", agent } as const;
  suspend(opening, { account: name, sinceMs: atMs, untilMs, reason });
}

/** Suspends only the account of the busy server: another vendor's agent may work meanwhile. */
export function suspendForOutage(opening: Opening, { agent, atMs }: { agent: string; atMs: number }): void {
  const { settings } = opening;
  const name = accountOf(settings, agent);
  const ofAccount = opening.sinceResume.sessions.filter((one) => accountOf(settings, one.agent) === name);
  const inARow = endsInARow(ofAccount, ({ cause }) => cause === "outage");
  const base = Math.max(settings.limits.backoffSeconds, outageBackoffSecondsMin);
  const untilMs = atMs + Math.min(base * 2 ** (inARow - 1), backoffSecondsMax) * 1000;
  const reason = { rule: "outage", agent, inARow } as const;
  suspend(opening, { account: name, sinceMs: atMs, untilMs, reason });
}

/** Suspends the account until a person logs in. */
export function suspendForLogin(
  opening: Opening,
  { agent, atMs, ...why }: { agent: string; atMs: number } & Pick<Suspension, "reason" | "program">,
): void {
  suspend(opening, { account: accountOf(opening.settings, agent), sinceMs: atMs, ...why });
}

function suspend({ sinceResume }: Opening, suspension: Suspension): void {
  sinceResume.suspended.set(suspension.account, suspension);
}
