/** A session's score under other thresholds, from its recorded signal.scored. */
import { finishedBy, streak, voteOf } from "../exit/detection.ts";
import type { ExitPolicy } from "../exit/detection.ts";
import type { EventOf } from "../journal/event.ts";

type Scored = EventOf<"signal.scored">;

/**
 * The new score. The journal has only the observations, not texts and files, but no threshold changes those. `before` holds the claims
 * of the earlier sessions, oldest first.
 */
export function rescore(
  scored: Scored,
  before: readonly { done: boolean; testOnly: boolean }[],
  policy: ExitPolicy,
): Scored {
  const doneStreak = streak([...before.map(({ done }) => done), scored.done]);
  const testStreak = streak([...before.map(({ testOnly }) => testOnly), scored.testOnly]);
  const counted: Partial<Record<Scored["signals"][number]["name"], boolean>> = {
    consecutive_done: doneStreak >= policy.doneSessions,
    test_only: testStreak >= policy.testSessions,
  };
  const signals = scored.signals.map((signal) => ({
    ...signal,
    present: counted[signal.name] ?? signal.present,
  }));
  const total = voteOf(signals);
  const complete = signals.some(({ name, present }) => name === "tasks_complete" && present);
  const again = { ...scored, signals, total, threshold: policy.threshold };
  // Signals of their own, open boxes and failed checks do not depend on thresholds.
  if (!movedByThresholds.has(scored.reason.rule)) return again;
  const { promise, exitSignal, indicators } = scored;
  const facts = scored.facts ?? { resolved: complete ? 1 : 0, total: 1, checks: "not_run", changed: 0 };
  return { ...again, ...finishedBy({ exitSignal, promise, facts, indicators, total }, policy) };
}

const movedByThresholds: ReadonlySet<Scored["reason"]["rule"]> = new Set(["exit_vote", "exit_signal"]);
