/** Who may play a role now: its agents in order of preference, without those whose account cannot be used. */
import { accountOf, triedAgainMs, vendorOf } from "../journal/account.ts";
import type { Suspension } from "../journal/account.ts";
import type { Role } from "../settings/roles.ts";
import type { RelayState } from "../journal/relay-state.ts";
import { currentSubmission } from "./phase.ts";

/** By role, the agents whose programs are there, in order of preference. */
export type Players = Readonly<Record<Role, readonly string[]>>;

/** The agents that the settings name, as though all of them were installed. */
export function playersListed(state: RelayState): Players {
  const { executor, reviewer } = state.settings?.roles ?? {
    executor: { agents: [] },
    reviewer: { agents: [] },
  };
  return { executor: executor.agents, reviewer: reviewer.agents };
}

/** Those who can play `role` now, the best first, and the suspensions of the others. */
export function playersNow(
  state: RelayState,
  role: Role,
  { players, nowMs, jitter }: { players: Players; nowMs: number; jitter: number },
): { ready: string[]; suspended: Suspension[] } {
  const ready: string[] = [];
  const suspended: Suspension[] = [];
  for (const agent of players[role]) {
    const account = state.settings ? accountOf(state.settings, agent) : agent;
    const suspension = state.suspended.get(account);
    if (suspension && triedAgainMs(suspension, jitter) > nowMs) suspended.push(suspension);
    else ready.push(agent);
  }
  return { ready: role === "reviewer" ? strangersFirst(state, ready) : ready, suspended };
}

/**
 * A Reviewer of another vendor than the work's does not share its blind spots, nor a second one those of the first; the
 * order is kept otherwise.
 */
function strangersFirst(state: RelayState, agents: readonly string[]): string[] {
  const { settings } = state;
  const submission = currentSubmission(state);
  if (!settings || !submission) return [...agents];
  const agentOf = (session: number | undefined): string[] =>
    state.sessions.filter((one) => one.session === session).map(({ agent }) => agent);
  const reviewers = submission.reviews.flatMap(({ session }) => agentOf(session));
  const authors = state.sessions
    .slice(state.sessionsBefore, submission.sessionsThen)
    .flatMap(({ role, agent }) => (role === "executor" ? [agent] : []));
  const known = new Set([...authors, ...reviewers].map((agent) => vendorOf(settings, agent)));
  const rank = (agent: string): number =>
    known.has(vendorOf(settings, agent)) ? (reviewers.includes(agent) ? 2 : 1) : 0;
  return agents.toSorted((a, b) => rank(a) - rank(b));
}
