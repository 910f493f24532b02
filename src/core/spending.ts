/** What sessions have used, one entry a session: what rate limits and budgets count, in this relay and in others. */
import type { RelayState, SessionRecord } from "./relay-state.ts";

export type Spending = {
  issue: string;
  session: number;
  /** The `monoco run` that started it. */
  run?: string | undefined;
  startedAtMs: number;
  /** Undefined while it runs. */
  endedAtMs?: number | undefined;
  /** In and out; where the agent tells only its context, the most that was in use: at least so many. */
  tokens: number;
};

/** All sessions of a relay, those of earlier openings too. */
export function spendingOf(state: RelayState): Spending[] {
  const issue = state.opened?.issue ?? "";
  return state.sessions.map((session) => ({ issue, ...spent(session) }));
}

function spent(session: SessionRecord): Omit<Spending, "issue"> {
  return {
    session: session.session,
    run: session.started.run,
    startedAtMs: session.startedAtMs,
    endedAtMs: session.ended?.atMs,
    tokens: session.tokens ?? session.contextTokens ?? 0,
  };
}
