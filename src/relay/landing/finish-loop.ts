/** Judges a loop's submission by its checks alone: green ends the loop, with its work on its branch; red goes to the next session. */
import { removeClone } from "../../git/clone/workspace.ts";
import { tailOf } from "../../store/check-log.ts";
import { submissionOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { decideByChecks } from "../review/review.ts";
import { tidyClones } from "./tidy-up.ts";
import { t } from "../../core/language/translate.ts";

export async function settleByChecks(relay: Relay, submission: number): Promise<void> {
  const record = submissionOf(relay, submission);
  removeClone(relay.places.review);
  if (!record.checks?.ok) {
    decideByChecks(relay, record, (result) => tailOf(relay.places.relay, result) || t`it printed nothing`);
    return;
  }
  const kept = await tidyClones(relay, `${submission}`);
  const more = kept.length > 0 ? { kept } : {};
  relay.record({ type: "relay.finished", submission, commit: record.head, ...more });
}
