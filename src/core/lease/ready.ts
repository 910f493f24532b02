/** What a worker can begin now: the issues of a plan, by what is known of their relays. */
import type { Lease } from "./lease.ts";
import type { RelayState } from "../journal/relay-state.ts";
import { becauseOf } from "../reason/reason.ts";
import { phaseOf } from "../relay/phase.ts";
import { t } from "../language/translate.ts";

/** A relay as it is seen without its lock. `letters`: a person has said something that its next holder will read. */
export type Seen = {
  state?: RelayState | undefined;
  lease?: Lease | undefined;
  /** Whether another process on this machine runs it. */
  running?: boolean;
  letters: boolean;
};

/** The slot of an issue's CI job, by its `MONOCO_SLOT`. The concurrency group of the workflow gives it one job at a time. */
export const ciSlot = (issue: string): string => `named ci-${issue}`;

/**
 * Why no worker should begin the issue now; undefined if one can. `asked`: a person named the issue, so it begins although its relay
 * waits for a person. The lease of a CI job keeps no other job out: that one waits for the first one, or goes on after it.
 */
export function whyNotNow(
  { state, lease, running, letters }: Seen,
  { issue, nowMs, asked }: { issue: string; nowMs: number; asked: boolean },
): string | undefined {
  if (running) return t`another process runs it`;
  if (lease && lease.slot !== ciSlot(issue) && isLive(lease, nowMs))
    return t`${lease.who} on ${lease.host} works on it`;
  const opening = state?.opening;
  const phase = state ? phaseOf(state) : "none";
  if (!opening || phase === "none" || letters || asked) return undefined;
  if (phase === "done") return t`its relay is done, and the base has not got its work yet`;
  if (phase === "cancelled") return t`its relay is cancelled`;
  if (opening.halted) return t`it waits for a person: ${becauseOf(opening.halted.reason)}`;
  const { wait } = opening.sinceResume;
  return wait.untilMs > nowMs ? t`it waits: ${becauseOf(wait.reason)}` : undefined;
}

/** By the clock of its holder, which may be wrong: a lease cannot end later than its whole length from now. Only a claim decides. */
function isLive({ untilMs, minutes }: Lease, nowMs: number): boolean {
  return nowMs < untilMs && untilMs <= nowMs + minutes * 60_000;
}
