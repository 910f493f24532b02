/** When a person's verdict can be taken: on the submission under review, once it is checked, while no session is at work. */
import { currentSubmission, runningSession } from "./standing.ts";
import type { RelayState } from "./relay-state.ts";

/** Why it cannot be taken now, in words; undefined where it can. */
export function whyNoVerdict(state: RelayState, submission: number): string | undefined {
  const current = currentSubmission(state);
  if (!current || current.submission !== submission)
    return `submission ${submission} is not the one under review`;
  if (current.review) return `submission ${submission} has its verdict`;
  if (!current.checks) return `submission ${submission} is not checked yet`;
  const running = runningSession(state);
  return running && `session ${running.session} is at work: what comes meanwhile may be its own`;
}
