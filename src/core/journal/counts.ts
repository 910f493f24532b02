/** The counts that are compared with a relay's limits: sessions, stalls and failures in a row, rounds, missing verdicts. */
import type { EventOf, StopReason } from "./event.ts";
import { findingRoundsMax, submitRefusalsMax } from "../limits.ts";
import type { Settings } from "../settings/settings.ts";
import { failureWords, isRed } from "../review/red.ts";
import type { Opening, SessionRecord, SubmissionRecord } from "./relay-state.ts";

/** The trailing Executor sessions without progress (the breaker's count); sessions that ended for outside reasons are skipped. */
export function stalledInARow(opening: Opening): number {
  return countBack(opening, (session) => session.ended?.progress === false);
}

/** The trailing Executor sessions that failed without progress. */
export function failuresInARow(opening: Opening): number {
  return countBack(opening, (session) => failures.has(session.ended!.reason) && !session.ended!.progress);
}

/** The trailing Executor sessions that only asked a question and have no answer. */
export function askedInARow(opening: Opening): number {
  return countBack(opening, (session) => session.asked !== undefined && !session.ended!.progress);
}

/** The checks after `session`: of its submission, or of its workspace. */
function checksOf(
  { submissions }: Opening,
  { session, checks }: SessionRecord,
): EventOf<"checks.ran"> | undefined {
  return submissions.findLast((one) => one.session === session)?.checks ?? checks;
}

/**
 * The trailing Executor sessions with one error, from their ending or else from failing checks, whatever else they
 * changed. A newly resolved box or a check that turned green resets the count.
 */
export function sameErrorInARow(opening: Opening): number {
  let times = 0;
  let last: { error: string; checks?: EventOf<"checks.ran"> | undefined; resolved?: number | undefined } = {
    error: "",
  };
  for (const session of opening.sinceResume.sessions) {
    if (session.role !== "executor" || !session.ended || outsideItsControl(session)) continue;
    const ran = checksOf(opening, session);
    // Without changes no checks ran.
    const checks = ran ?? (session.ended.progress ? undefined : last.checks);
    const error = session.ended.signature ?? signatureOf(checks);
    const resolved = Math.max(last.resolved ?? 0, session.handoff?.resolved ?? 0);
    const gotOn = resolved > (last.resolved ?? resolved) || turnedGreen(last.checks, checks);
    times = error === "" ? 0 : error === last.error && !gotOn ? times + 1 : 1;
    last = { error, checks: checks ?? last.checks, resolved };
  }
  return times;
}

/** The check that fails after the last Executor session, with what it is about. */
export function failingCheck(opening: Opening): string | undefined {
  const last = opening.sessions.findLast(({ role, ended }) => role === "executor" && ended);
  const red = last && checksOf(opening, last)?.results.find(isRed);
  return red && failureWords(red);
}

function signatureOf(checks: EventOf<"checks.ran"> | undefined): string {
  const failed = (checks?.results ?? []).filter(isRed);
  return failed.map(({ command, signature = "" }) => `${command}: ${signature}`).join("\n");
}

function turnedGreen(
  before: EventOf<"checks.ran"> | undefined,
  now: EventOf<"checks.ran"> | undefined,
): boolean {
  return (now?.results ?? []).some(
    ({ command, exitCode }) =>
      exitCode === 0 && before?.results.some((one) => one.command === command && isRed(one)),
  );
}

function countBack(opening: Opening, counts: (session: SessionRecord) => boolean): number {
  let count = 0;
  for (const session of opening.sinceResume.sessions.toReversed()) {
    if (session.role !== "executor" || outsideItsControl(session)) continue;
    if (!counts(session)) break;
    count += 1;
  }
  return count;
}

/** The scores of the charged Executor sessions before `session`, since the last one that submitted; an unscored session claimed nothing. */
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
 * Why the agent's last submit was refused, if this session has removed that reason: the work was uncommitted, and now all of it
 * is committed.
 */
export function refusalGone({ refusal }: Opening, { session, ended }: SessionRecord): string | undefined {
  const own = refusal?.by === "executor" && (refusal.session ?? session) < session;
  return own && refusal.kind === "uncommitted" && ended?.progress && ended.wip === undefined
    ? refusal.why
    : undefined;
}

/** The requested changes since a person last resumed; a submission with red checks costs no review and is no round. */
export function reviewRounds({ sinceResume }: Opening): number {
  return sinceResume.submissions.filter(
    ({ review }) => review && review.by !== "monoco" && review.verdict === "request_changes",
  ).length;
}

/** The trailing submissions since a person last resumed whose own checks failed. */
export function redRounds({ sinceResume: { submissions } }: Opening): number {
  return submissions.length - 1 - submissions.findLastIndex(({ checks }) => checks?.ok !== false);
}

/** The cap of red submissions: one error may occur as often as the breaker allows it. */
export function redRoundsMax(
  limits: Pick<Settings["limits"], "redRoundsMax">,
  breaker: Pick<Settings["breaker"], "sameErrorMax">,
): number {
  return Math.max(limits.redRoundsMax, breaker.sameErrorMax);
}

/** The Reviewer sessions on a submission without a verdict, since a person last resumed and since the last verdict that counted. */
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

/** The refused verdicts on a submission, since a person last resumed and since the last verdict that counted: the next Reviewer is told of each. */
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

/** The last submits since a person resumed that were all refused for one reason, and the files common to all of them. */
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

/** Findings that held back so many rounds since a person last resumed that neither side will give way. */
export function findingsRepeated({ sinceResume }: Opening): { id: string; title: string; rounds: number }[] {
  const byId = new Map<string, { id: string; title: string; rounds: number }>();
  for (const { review } of sinceResume.submissions) {
    if (review?.by !== "reviewer" || review.verdict !== "request_changes") continue;
    for (const { id, title, holds } of review.findings) {
      if (holds) byId.set(id, { id, title, rounds: (byId.get(id)?.rounds ?? 0) + 1 });
    }
  }
  return [...byId.values()].filter(({ rounds }) => rounds >= findingRoundsMax);
}

/** Stop reasons that a session did not choose and no limit explains; a handoff after one has a post-mortem. */
export const failures: ReadonlySet<StopReason> = new Set(["failure", "not_started", "silent", "unknown"]);

const unchargedReasons: ReadonlySet<StopReason> = new Set(["usage_limit", "user_interrupt", "needs_login"]);

/**
 * Whether a limit, a login, a person, an outage or its runner's death ended the session (for the last two: before it made progress). Such a
 * session counts neither as a stall nor as a failure.
 */
export function outsideItsControl({ role, ended }: SessionRecord): boolean {
  if (!ended) return false;
  if (unchargedReasons.has(ended.reason)) return true;
  return ended.cause !== undefined && (role === "reviewer" || !ended.progress);
}

/** Whether a session is left out of the relay's count. A session whose runner died is counted, so that a machine that dies each time comes to an end. */
export function uncharged(session: SessionRecord): boolean {
  return outsideItsControl(session) && session.ended?.cause !== "runner_died";
}

/** The number of trailing sessions whose ending `counts`. */
export function endsInARow(
  sessions: readonly SessionRecord[],
  counts: (ended: EventOf<"session.ended">) => boolean,
): number {
  return sessions.length - 1 - sessions.findLastIndex(({ ended }) => !ended || !counts(ended));
}
