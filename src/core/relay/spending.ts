/** The use of each session, in this relay and in others: the input of rate limits and budgets. */
import type { RelayState, SessionRecord } from "../journal/relay-state.ts";

export type Spending = {
  issue: string;
  session: number;
  /** The `monoco run` that started the session. */
  run?: string | undefined;
  startedAtMs: number;
  /** Undefined while it runs. */
  endedAtMs?: number | undefined;
  /** Undefined while it runs. */
  minutes?: number | undefined;
  /** Input and output; if the agent reports only its context, the largest one, which is a lower bound. */
  tokens: number;
  /** Zero if the agent reports no cost. */
  costUsd: number;
};

/** All sessions that a relay had in this clone, including those of earlier openings. */
export function spendingOf(state: RelayState): Spending[] {
  const issue = state.opening?.issue ?? "";
  const here = state.sessions.filter(({ elsewhere }) => elsewhere === undefined);
  return here.map((session) => ({ issue, ...spent(session) }));
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
