/** What sessions have used, one entry a session: what rate limits and budgets count, in this relay and in others. */
import type { RelayState, SessionRecord } from "../journal/relay-state.ts";

export type Spending = {
  issue: string;
  session: number;
  /** The `monoco run` that started it. */
  run?: string | undefined;
  startedAtMs: number;
  /** Undefined while it runs. */
  endedAtMs?: number | undefined;
  /** Undefined while it runs. */
  minutes?: number | undefined;
  /** In and out; where the agent tells only its context, the most that was in use: at least so many. */
  tokens: number;
  /** Where the agent tells no cost, it is not known, and none. */
  costUsd: number;
};

/** All sessions of a relay, those of earlier openings too. */
export function spendingOf(state: RelayState): Spending[] {
  const issue = state.opening?.issue ?? "";
  return state.sessions.map((session) => ({ issue, ...spent(session) }));
}

function spent({ session, started, startedAtMs, ended, ...record }: SessionRecord): Omit<Spending, "issue"> {
  return {
    session,
    run: started.run,
    startedAtMs,
    endedAtMs: ended?.atMs,
    minutes: ended && ended.durationMs / 60_000,
    tokens: record.tokens ?? record.contextTokens ?? 0,
    costUsd: record.costUsd ?? 0,
  };
}
