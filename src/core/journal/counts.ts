/** What counts against a relay's limits: sessions, stalls and failures in a row, rounds, missing verdicts. */
import type { EventOf, StopReason } from "./event.ts";
import { findingRoundsMax, submitRefusalsMax } from "../limits.ts";
import type { Opening, SessionRecord, SubmissionRecord } from "./relay-state.ts";

/** Executor sessions at the end that made no progress (the breaker's count); what was outside their control is neither. */
export function stalledInARow(opening: Opening): number {
  return countBack(opening, (session) => session.ended?.progress === false);
}

/** Failed Executor sessions at the end that made no progress either. */
export function failuresInARow(opening: Opening): number {
  return countBack(opening, (session) => failures.has(session.ended!.reason) && !session.ended!.progress);
}

/** Executor sessions at the end that only asked, and have no answer. */
export function askedInARow(opening: Opening): number {
  return countBack(opening, (session) => session.asked !== undefined && !session.ended!.progress);
}

/** The checks on what `session` left: on its submission, or on its workspace. */
function checksOf(
  { submissions }: Opening,
  { session, checks }: SessionRecord,
): EventOf<"checks.ran"> | undefined {
  return submissions.findLast((one) => one.session === session)?.checks ?? checks;
}

/**
 * Executor sessions at the end that met one error, of their ending or else of their failing checks, whatever else they
 * changed. A newly resolved box and a check that turned green begin the count again.
 */
export function sameErrorInARow(opening: Opening): number {
  let found = 0;
  let last: { error: string; checks?: EventOf<"checks.ran"> | undefined; resolved?: number | undefined } = {
    error: "",
  };
  for (const session of opening.sinceResume.sessions) {
    if (session.role !== "executor" || !session.ended || outsideItsControl(session)) continue;
    const ran = checksOf(opening, session);
    // Nothing changed, so nothing ran.
    const checks = ran ?? (session.ended.progress ? undefined : last.checks);
    const error = session.ended.signature ?? signatureOf(checks);
    const resolved = Math.max(last.resolved ?? 0, session.handoff?.resolved ?? 0);
    const gotOn = resolved > (last.resolved ?? resolved) || turnedGreen(last.checks, checks);
    found = error === "" ? 0 : error === last.error && !gotOn ? found + 1 : 1;
    last = { error, checks: checks ?? last.checks, resolved };
  }
  return found;
}

function signatureOf(checks: EventOf<"checks.ran"> | undefined): string {
  const failed = (checks?.results ?? []).filter(({ exitCode }) => exitCode !== 0);
  return failed.map(({ command, signature = "" }) => `${command}: ${signature}`).join("\n");
}

function turnedGreen(
  before: EventOf<"checks.ran"> | undefined,
  now: EventOf<"checks.ran"> | undefined,
): boolean {
  return (now?.results ?? []).some(
    ({ command, exitCode }) =>
      exitCode === 0 && before?.results.some((one) => one.command === command && one.exitCode !== 0),
  );
}

function countBack(opening: Opening, counts: (session: SessionRecord) => boolean): number {
  let found = 0;
  for (const session of opening.sinceResume.sessions.toReversed()) {
    if (session.role !== "executor" || outsideItsControl(session)) continue;
    if (!counts(session)) break;
    found += 1;
  }
  return found;
}

/** What the charged Executor sessions before `session` said, since the last one that submitted; none scored said nothing. */
export function scoredBefore(opening: Opening, session: number): { done: boolean; testOnly: boolean }[] {
  const earlier = opening.sessions.filter(
    (one) => one.role === "executor" && one.session < session && !outsideItsControl(one),
  );
  const submitted = earlier.findLastIndex((one) => one.submissionSettled);
  return earlier
    .slice(submitted + 1)
    .map(({ scored }) => ({ done: scored?.done ?? false, testOnly: scored?.testOnly ?? false }));
}

/**
 * Why the last submit of an agent was refused, if what this session left can no longer be refused for that: everything is
 * committed, where something was not.
 */
export function refusalGone({ refusal }: Opening, { session, ended }: SessionRecord): string | undefined {
  const own = refusal?.by === "executor" && (refusal.session ?? session) < session;
  return own && refusal.kind === "uncommitted" && ended?.progress && ended.wip === undefined
    ? refusal.why
    : undefined;
}

/** Requested changes since a person last resumed; red checks cost no review, and do not count as a round. */
export function reviewRounds({ sinceResume }: Opening): number {
  return sinceResume.submissions.filter(
    ({ review }) => review && review.by !== "monoco" && review.verdict === "request_changes",
  ).length;
}

/** Reviewer sessions for a submission that brought no verdict, since a person last resumed and the last verdict that counted. */
export function verdictsMissing({ sinceResume }: Opening, record: SubmissionRecord): number {
  const counted = lastCounted(record);
  return sinceResume.sessions.filter(
    (session) =>
      session.started.submission === record.submission &&
      session.session > counted &&
      session.ended &&
      session.ended.reason !== "decided" &&
      !outsideItsControl(session),
  ).length;
}

/** Verdicts on a submission that did not count, since a person last resumed and the last one that did: each Reviewer is told once. */
export function refusalsInForce(
  { sinceResume }: Opening,
  record: SubmissionRecord,
): SubmissionRecord["refusals"] {
  const counted = lastCounted(record);
  const first = sinceResume.sessions[0]?.session ?? Infinity;
  return record.refusals.filter(({ session }) => session >= first && session > counted);
}

function lastCounted({ reviews, confirmations }: SubmissionRecord): number {
  return Math.max(
    0,
    ...[...reviews, ...confirmations].map(({ by, session = 0 }) => (by === "reviewer" ? session : 0)),
  );
}

/** The last submits in a row since a person resumed that were refused for one reason, and the files that all of them were refused for. */
export function sameRefusals({ sinceResume: { refusals } }: Opening): {
  times: number;
  last?: EventOf<"submission.refused">;
  paths: string[];
} {
  const last = refusals.at(-1);
  let paths = last?.paths ?? [];
  let times = 0;
  for (const { kind, paths: own = [] } of refusals.toReversed()) {
    const both = paths.filter((path) => own.includes(path));
    if (kind !== last?.kind || (paths.length > 0 && both.length === 0)) break;
    paths = both;
    times += 1;
    if (times === submitRefusalsMax) break;
  }
  return { times, paths, ...(last ? { last } : {}) };
}

/** Findings that held back in so many rounds since a person last resumed that neither side will give way. */
export function findingsRepeated({ sinceResume }: Opening): { id: string; title: string; rounds: number }[] {
  const found = new Map<string, { id: string; title: string; rounds: number }>();
  for (const { review } of sinceResume.submissions) {
    if (review?.by !== "reviewer" || review.verdict !== "request_changes") continue;
    for (const { id, title, holds } of review.findings) {
      if (holds) found.set(id, { id, title, rounds: (found.get(id)?.rounds ?? 0) + 1 });
    }
  }
  return [...found.values()].filter(({ rounds }) => rounds >= findingRoundsMax);
}

/** Ends that a session did not choose and no limit explains (also those after which a handoff carries a post-mortem). */
export const failures: ReadonlySet<StopReason> = new Set(["failure", "not_started", "silent", "unknown"]);

const unchargedReasons: ReadonlySet<StopReason> = new Set(["usage_limit", "user_interrupt", "needs_login"]);

/**
 * A limit, a login, a person, an outage or the death of its runner ended it, the last two before it got anywhere: it counts
 * neither as a stall nor as a failure.
 */
export function outsideItsControl({ role, ended }: SessionRecord): boolean {
  if (!ended) return false;
  if (unchargedReasons.has(ended.reason)) return true;
  return ended.cause !== undefined && (role === "reviewer" || !ended.progress);
}

/** It is not charged to the relay's sessions. One whose runner died is: a machine that dies of each session has to end, too. */
export function uncharged(session: SessionRecord): boolean {
  return outsideItsControl(session) && session.ended?.cause !== "runner_died";
}

/** The sessions at the end whose ending `counts`. */
export function endsInARow(
  sessions: readonly SessionRecord[],
  counts: (ended: EventOf<"session.ended">) => boolean,
): number {
  return sessions.length - 1 - sessions.findLastIndex(({ ended }) => !ended || !counts(ended));
}
