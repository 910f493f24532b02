/** The agents that can play a role now: in order of preference, without suspended accounts. */
import { accountOf, triedAgainMs, vendorOf } from "../journal/account.ts";
import type { Suspension } from "../journal/account.ts";
import type { Role } from "../settings/agent-kinds.ts";
import type { Opening } from "../journal/relay-state.ts";
import { currentSubmission } from "./phase.ts";

/** The installed agents of each role, in order of preference. */
export type Players = Readonly<Record<Role, readonly string[]>>;

/** The agents in the settings, as if all of them were installed. */
export function playersListed({ settings }: Opening): Players {
  const { executor, reviewer } = settings.roles;
  return { executor: executor.agents, reviewer: reviewer.agents };
}

/** The agents that can play `role` now, the best first, and the suspensions of the others. */
export function playersNow(
  opening: Opening,
  role: Role,
  { players, nowMs, jitter }: { players: Players; nowMs: number; jitter: number },
): { ready: string[]; suspended: Suspension[] } {
  const ready: string[] = [];
  const suspended: Suspension[] = [];
  for (const agent of players[role]) {
    const suspension = opening.sinceResume.suspended.get(accountOf(opening.settings, agent));
    if (suspension && triedAgainMs(suspension, jitter) > nowMs) suspended.push(suspension);
    else ready.push(agent);
  }
  return { ready: role === "reviewer" ? strangersFirst(opening, ready) : ready, suspended };
}

/**
 * Puts agents of other vendors first: a Reviewer of another vendor than the Executor's does not share its blind spots, nor does a
 * second Reviewer those of the first. The order is kept otherwise.
 */
function strangersFirst(opening: Opening, agents: readonly string[]): string[] {
  const { settings, sessions } = opening;
  const submission = currentSubmission(opening);
  if (!submission) return [...agents];
  const agentOf = (session: number | undefined): string[] =>
    sessions.filter((one) => one.session === session).map(({ agent }) => agent);
  const reviewers = submission.reviews.flatMap(({ session }) => agentOf(session));
  const authors = sessions
    .filter(({ role, session }) => role === "executor" && session <= submission.sessionsThen)
    .map(({ agent }) => agent);
  const vendors = new Set([...authors, ...reviewers].map((agent) => vendorOf(settings, agent)));
  const rank = (agent: string): number =>
    vendors.has(vendorOf(settings, agent)) ? (reviewers.includes(agent) ? 2 : 1) : 0;
  return agents.toSorted((a, b) => rank(a) - rank(b));
}
