/** A relay that waits for a pull request: looks at the pull request, and under `--watch` looks again later. */
import type { RunQueue } from "../../app/queue/queue.ts";
import { MonocoError } from "../../core/error/error.ts";
import { systemClock } from "../../relay/clock.ts";
import { isOnBase } from "../../git/landing.ts";
import { leaveOnBranch } from "../../relay/landing/leave-on-branch.ts";
import { lookAtPullRequest } from "../../relay/landing/pull-request.ts";
import { settingsOf } from "../../relay/relay.ts";
import type { Relay } from "../../relay/relay.ts";
import type { RunEnd } from "../../relay/run-relay.ts";

/** Looks at the pull request. Returns the error if that failed: nothing has changed then. */
export async function lookAtPull(relay: Relay): Promise<MonocoError | undefined> {
  try {
    await lookAtPullRequest(relay);
    return undefined;
  } catch (error) {
    if (error instanceof MonocoError && error.kind !== "bug") return error;
    throw error;
  }
}

/** Opens a pull request that could not be opened before, or finds the one that a person has opened. */
export async function completeLeft(relay: Relay): Promise<void> {
  const { opening, repository } = { ...relay, ...relay.state };
  const { finished, merge, merged, cleared, base = "", settings } = opening ?? {};
  if (!finished || !merge || merged || cleared || finished.pullRequest !== undefined) return;
  if (settings?.finish.by !== "pr" || (await isOnBase(repository.git, base, finished.commit))) return;
  await leaveOnBranch(relay, merge);
}

/** Whether the relay waits for people and checks on GitHub, or for the local base to get the merge. */
export function waitsForOthers(end: RunEnd): boolean {
  if (end.end !== "rest") return false;
  const { reason } = end.rest;
  return reason.rule === "pull_request" || (reason.rule === "merged" && reason.missing !== undefined);
}

/** Frees the slot until the next look. */
export function comesBackLater(relay: Relay, next: RunQueue): "comes_back" {
  const { lookMinutes } = settingsOf(relay).finish;
  next.comesBack(relay.issue, { untilMs: systemClock.nowMs() + lookMinutes * 60_000, held: true });
  return "comes_back";
}
