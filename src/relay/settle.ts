/** Judges a loop's submission by its checks alone: green ones end it, its work left on its branch; red ones go to the next session. */
import { tailOf } from "./briefing.ts";
import type { Relay } from "./relay.ts";
import { decideByChecks } from "./review.ts";

export function settleByChecks(relay: Relay, submission: number): void {
  const record = relay.state.submissions.find((candidate) => candidate.submission === submission)!;
  relay.edges.workspace.removeClone(relay.places.review);
  if (!record.checks?.ok) {
    decideByChecks(relay, record, (result) => tailOf(relay, result) || "it printed nothing");
    return;
  }
  relay.record({ type: "relay.finished", submission, commit: record.head });
  relay.edges.workspace.removeClone(relay.places.workspace);
}
