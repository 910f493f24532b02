/**
 * The circuit breaker: opens after sessions without progress or with one repeated error, lets one probing session
 * through after a cool-down, and closes when that session makes progress.
 */
import type { BreakerPosition } from "../journal/event.ts";
import type { BlockReason } from "../reason/block-schema.ts";
import type { BreakerReason } from "../reason/breaker-schema.ts";
import { breakerCoolDownMsMax } from "../limits.ts";
import { plainLine } from "../text/sanitize.ts";
import type { Opening, SessionRecord } from "../journal/relay-state.ts";
import {
  failingCheck,
  failures,
  outsideItsControl,
  sameErrorInARow,
  stalledInARow,
} from "../journal/counts.ts";

/** The breaker's next position, if it differs from the current one; undefined if it stays. */
export type BreakerChange = {
  to: BreakerPosition;
  reason: BreakerReason;
  /** The time at which an open breaker lets a probe through; undefined if only a person closes it. */
  untilMs?: number;
  /** The cool-down in force, ms; a failed probe doubles it. */
  coolDownMs?: number;
  /** The number of failed probing sessions in a row. */
  failedProbes?: number;
};

/** Judged between sessions, when the result of the last one is known. */
export function breakerChange(state: Opening, nowMs: number): BreakerChange | undefined {
  const { breaker } = state;
  if (breaker?.to === "open") {
    if (breaker.untilMs === undefined || nowMs < breaker.untilMs) return undefined;
    const { coolDownMs, failedProbes } = breaker;
    return {
      to: "half_open",
      reason: { rule: "cool_down_over" },
      ...(coolDownMs === undefined ? {} : { coolDownMs }),
      ...(failedProbes === undefined ? {} : { failedProbes }),
    };
  }
  if (breaker?.to === "half_open") {
    const probe = chargedExecutors(state).findLast((one) => one.fence > breaker.seq);
    if (!probe) return undefined;
    const same = sameErrorTrips(state) !== undefined;
    if (probe.ended?.progress && !same)
      return { to: "closed", reason: { rule: "probe_succeeded", session: probe.session } };
    const coolDownMs = Math.min(2 * (breaker.coolDownMs ?? firstCoolDownMs(state)), breakerCoolDownMsMax);
    return opened(state, {
      nowMs,
      coolDownMs,
      failedProbes: (breaker.failedProbes ?? 0) + 1,
      reason: { rule: "probe_failed", session: probe.session, sameError: same, ...checkOf(state) },
    });
  }
  const reason = tripped(state);
  return reason && opened(state, { nowMs, coolDownMs: firstCoolDownMs(state), failedProbes: 0, reason });
}

/** The block of a breaker whose probes are used up: hopeless work does not wait for ever. */
export function probesUsedUp(state: Opening): BlockReason | undefined {
  const probes = state.breaker?.failedProbes ?? 0;
  const max = state.settings.breaker.probesMax;
  return probes < max ? undefined : { rule: "probes_max", probes, max, ...checkOf(state) };
}

function opened(
  state: Opening,
  {
    nowMs,
    coolDownMs,
    ...more
  }: { nowMs: number; coolDownMs: number; failedProbes: number; reason: BreakerReason },
): BreakerChange {
  const manual = state.settings.breaker.reopen === "manual";
  return { to: "open", ...more, coolDownMs, ...(manual ? {} : { untilMs: nowMs + coolDownMs }) };
}

function firstCoolDownMs(state: Opening): number {
  return state.settings.breaker.coolDownMinutes * 60_000;
}

/** The first rule that opens a closed breaker. Progress does not excuse a repeated error. */
function tripped(state: Opening): BreakerReason | undefined {
  const same = sameErrorTrips(state);
  const sessions = chargedExecutors(state);
  const last = sessions.at(-1);
  if (!last?.ended || last.ended.progress) return same;
  const { breaker, limits } = state.settings;
  const stalled = stalledInARow(state);
  if (stalled >= limits.stalledMax) {
    return { rule: "no_progress", sessions: stalled, max: limits.stalledMax, ...checkOf(state) };
  }
  if (same !== undefined) return same;
  const denied = deniedInARow(sessions);
  if (denied >= breaker.deniedMax) {
    const tools = (last.ended.denied ?? []).map((tool) => plainLine(tool, 60));
    return { rule: "denied", sessions: denied, max: breaker.deniedMax, tools };
  }
  // A session that was cut off says little, which means nothing.
  const decline = failures.has(last.ended.reason) ? undefined : outputDecline(sessions);
  if (decline !== undefined && decline > breaker.outputDeclinePercent) {
    return { rule: "output_decline", percent: decline, max: breaker.outputDeclinePercent };
  }
  return undefined;
}

function sameErrorTrips(state: Opening): BreakerReason | undefined {
  const same = sameErrorInARow(state);
  const max = state.settings.breaker.sameErrorMax;
  return same < max ? undefined : { rule: "same_error", sessions: same, max, ...checkOf(state) };
}

/** The check that fails, for a reason. */
export function checkOf(state: Opening): { check?: string } {
  const check = failingCheck(state);
  return check === undefined ? {} : { check };
}

/** The breaker's counts: trailing sessions that stalled or failed alike, and the decline of the output if known. */
export function breakerCounts(state: Opening): {
  stalled: number;
  sameError: number;
  denied: number;
  outputDeclinePercent: number | undefined;
} {
  const sessions = chargedExecutors(state);
  return {
    stalled: stalledInARow(state),
    sameError: sameErrorInARow(state),
    denied: deniedInARow(sessions),
    outputDeclinePercent: outputDecline(sessions),
  };
}

function chargedExecutors(state: Opening): SessionRecord[] {
  return state.sinceResume.sessions.filter(
    (one) => one.role === "executor" && one.ended && !outsideItsControl(one),
  );
}

/** The trailing sessions without progress that were denied tools: the next one would be denied the same. */
function deniedInARow(sessions: readonly SessionRecord[]): number {
  const other = sessions.findLastIndex(({ ended }) => !ended?.denied || ended.progress);
  return sessions.length - 1 - other;
}

/** The number of sessions that a mean needs. */
const sessionsForMean = 3;

/** The percentage by which the last session's output is below the mean of the earlier ones; undefined if too few are known. */
function outputDecline(sessions: readonly SessionRecord[]): number | undefined {
  const outputs = sessions.flatMap(({ ended }) =>
    ended?.outputChars === undefined ? [] : [ended.outputChars],
  );
  const last = outputs.pop();
  if (last === undefined || outputs.length < sessionsForMean) return undefined;
  const mean = outputs.reduce((sum, chars) => sum + chars, 0) / outputs.length;
  return mean === 0 ? undefined : Math.round((1 - last / mean) * 100);
}
