/** Decides on the next session: its agent, its time and its budget. */
import type { Way } from "../error/hint-schema.ts";
import { triedAgainMs } from "../journal/account.ts";
import type { Suspension } from "../journal/account.ts";
import type { Opening } from "../journal/relay-state.ts";
import { byHand, resume } from "../journal/steps.ts";
import { t } from "../language/translate.ts";
import type { BudgetSpan } from "../reason/amounts.ts";
import type { Reason } from "../reason/reason-schema.ts";
import type { StartReason } from "../reason/start-schema.ts";
import type { Role } from "../settings/agent-kinds.ts";
import type { Action, Now } from "./action.ts";
import { block } from "./block.ts";
import { spentBudget } from "./budget.ts";
import { playersNow } from "./players.ts";
import { fullHour } from "./rate-limit.ts";
import { spendingOf } from "./spending.ts";

export function waiting(state: Opening, { nowMs }: Now): Action | undefined {
  const { untilMs, reason } = state.sinceResume.wait;
  return nowMs < untilMs ? { do: "wait", untilMs, reason } : undefined;
}

/**
 * Starts the next session with the best available agent. A used-up account yields to the next agent; without any agent the relay
 * waits for the first account to return, or needs a person if each lacks a login or a newer program.
 */
export function start(
  state: Opening,
  now: Now,
  next: { role: Role; submission?: number; reason: StartReason },
): Action {
  const spent = outOfBudget(state, now);
  if (spent) return spent;
  const { ready, suspended } = playersNow(state, next.role, now);
  const of = suspended.map((one) => one.reason);
  // If no agent is installed, starting one reports that.
  if (ready.length > 0 || suspended.length === 0) {
    const reason = of.length === 0 ? next.reason : { ...next.reason, passedOver: of };
    return outOfRate(now) ?? { do: "start", ...next, reason, agents: ready };
  }
  const times = suspended.flatMap((one) =>
    one.untilMs === undefined ? [] : [triedAgainMs(one, now.jitter)],
  );
  if (times.length > 0) {
    const [only, ...others] = of;
    const reason: Reason = only && others.length === 0 ? only : { rule: "accounts_suspended", of };
    return { do: "wait", untilMs: Math.min(...times), reason };
  }
  const isOld = ({ reason }: Suspension): boolean => reason.rule === "program_old";
  const old = suspended.filter(isOld);
  const others = suspended.filter((one) => !isOld(one));
  return block(state, {
    reason: { rule: "needs_person", accounts: suspended.map(({ account }) => account), of },
    ways: [
      ...(others.length > 0 ? [byHand(t`fix the login, credit or model of ${whose(others)}`)] : []),
      ...(old.length > 0 ? [byHand(t`update ${whose(old)}`)] : []),
    ],
  });
}

function whose(suspended: readonly Suspension[]): string {
  return suspended.map(({ account, program }) => (program ? `${account} (${program})` : account)).join(", ");
}

/** The block of a spent budget. A resume does not forgive spent money: the setting has to be raised. */
function outOfBudget(state: Opening, { history, nowMs, elsewhere, run }: Now): Action | undefined {
  const over = spentBudget(history, { nowMs, elsewhere, run });
  if (!over) return undefined;
  const { span, unit, used, reserve, max } = over;
  const setting = `budgets.${span}.${unit}`;
  return block(state, {
    reason: { rule: "budget", span, unit, used, reserve, max },
    ways: [[{ do: "raise", setting, where: whereSet(state, setting) }, resume], ...otherWays[span]()],
  });
}

/** The place of a setting that a person has to change. */
function whereSet({ origins = {} }: Opening, setting: string): string {
  const place = origins[setting] ?? "";
  if (place.startsWith("--")) return `${setting} (${place} ${setting}=…)`;
  if (place.startsWith("MONOCO_")) return place;
  return t`${setting} in ${place || "monoco.yaml"}`;
}

const otherWays: Readonly<Record<BudgetSpan, () => readonly Way[]>> = {
  relay: () => [],
  run: () => [[{ do: "resume", note: t`begins a new run` }]],
  day: () => [byHand(t`wait until older sessions are a day old`)],
};

/** Records a reached rate limit once, with its numbers; from then on the relay waits. */
function outOfRate({ history, nowMs, elsewhere, limits }: Now): Action | undefined {
  const full = fullHour([...spendingOf(history), ...elsewhere], limits, nowMs);
  return full && { do: "limit_rate", ...full };
}
