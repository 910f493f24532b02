/**
 * The circuit breaker: opens after sessions that got nowhere or met one error again and again, lets one probing session
 * through after a cool-down, and closes again when that one gets on.
 */
import type { BreakerPosition } from "../journal/event.ts";
import type { BlockReason } from "../reason/block-schema.ts";
import type { BreakerReason } from "../reason/breaker-schema.ts";
import { breakerCoolDownMsMax } from "../limits.ts";
import { plainLine } from "../text/sanitize.ts";
import type { Opening, SessionRecord } from "../journal/relay-state.ts";
import { failures, outsideItsControl, sameErrorInARow, stalledInARow } from "../journal/counts.ts";

/** How the breaker should stand now, where that differs from how it stands; undefined where it may stay. */
export type BreakerChange = {
  to: BreakerPosition;
  reason: BreakerReason;
  /** When an open one lets a probe through; undefined where only a person closes it. */
  untilMs?: number;
  /** The cool-down in force, ms: that of a half-open one is doubled if its probe fails. */
  coolDownMs?: number;
  /** Probing sessions in a row that failed. */
  failedProbes?: number;
};

/** Only between sessions: what the last one did is known. */
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
      reason: { rule: "probe_failed", session: probe.session, sameError: same },
    });
  }
  const reason = tripped(state);
  return reason && opened(state, { nowMs, coolDownMs: firstCoolDownMs(state), failedProbes: 0, reason });
}

/** Why an open breaker lets no more sessions probe: hopeless work does not wait for ever. */
export function probesUsedUp({ breaker, settings }: Opening): BlockReason | undefined {
  const probes = breaker?.failedProbes ?? 0;
  const max = settings.breaker.probesMax;
  return probes < max ? undefined : { rule: "probes_max", probes, max };
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

/** Why a closed breaker opens: the first rule that applies. Progress does not excuse the same error again and again. */
function tripped(state: Opening): BreakerReason | undefined {
  const same = sameErrorTrips(state);
  const sessions = chargedExecutors(state);
  const last = sessions.at(-1);
  if (!last?.ended || last.ended.progress) return same;
  const { breaker, limits } = state.settings;
  const stalled = stalledInARow(state);
  if (stalled >= limits.stalledMax) {
    return { rule: "no_progress", sessions: stalled, max: limits.stalledMax };
  }
  if (same !== undefined) return same;
  const denied = deniedInARow(sessions);
  if (denied >= breaker.deniedMax) {
    const tools = (last.ended.denied ?? []).map((tool) => plainLine(tool, 60));
    return { rule: "denied", sessions: denied, max: breaker.deniedMax, tools };
  }
  // A session that was cut off has said little, whatever it was about to say.
  const decline = failures.has(last.ended.reason) ? undefined : outputDecline(sessions);
  if (decline !== undefined && decline > breaker.outputDeclinePercent) {
    return { rule: "output_decline", percent: decline, max: breaker.outputDeclinePercent };
  }
  return undefined;
}

function sameErrorTrips(state: Opening): BreakerReason | undefined {
  const same = sameErrorInARow(state);
  const max = state.settings.breaker.sameErrorMax;
  return same < max ? undefined : { rule: "same_error", sessions: same, max };
}

/** What the breaker counts: sessions at the end that stalled, or failed alike, and the fall of the output where it is known. */
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

/** Sessions at the end that got nowhere and were denied tools: the next one would be denied the same. */
function deniedInARow(sessions: readonly SessionRecord[]): number {
  const other = sessions.findLastIndex(({ ended }) => !ended?.denied || ended.progress);
  return sessions.length - 1 - other;
}

/** Sessions that a mean is taken of before a fall means something. */
const sessionsForMean = 3;

/** By how many percent the last session said less than the ones before it on average; undefined where too few are known. */
function outputDecline(sessions: readonly SessionRecord[]): number | undefined {
  const known = sessions.flatMap(({ ended }) =>
    ended?.outputChars === undefined ? [] : [ended.outputChars],
  );
  const last = known.pop();
  if (last === undefined || known.length < sessionsForMean) return undefined;
  const mean = known.reduce((sum, chars) => sum + chars, 0) / known.length;
  return mean === 0 ? undefined : Math.round((1 - last / mean) * 100);
}
