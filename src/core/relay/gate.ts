/** What an approval still needs before it is merged: a second Reviewer, a person. */
import type { RelayState, SubmissionRecord } from "../journal/relay-state.ts";

export type Needed = { who: "reviewer" | "person"; because: string };

/** Nothing where all that has to approve has approved. A person's approval stands for everybody's. */
export function stillNeeded(
  { opened, settings }: RelayState,
  submission: SubmissionRecord,
): Needed | undefined {
  const { review, reviews } = submission;
  if (!review || review.by === "person" || !settings) return undefined;
  const criticality = opened?.criticality ?? "medium";
  const approvals = reviews.filter(({ by, verdict }) => by === "reviewer" && verdict === "approve").length;
  const reviewers = settings.reviewers[criticality] ?? 1;
  if (approvals < reviewers) {
    return {
      who: "reviewer",
      because: `${approvals} of ${reviewers} Reviewers approved (reviewers.${criticality} ${reviewers})`,
    };
  }
  if (settings.gates[criticality] === "human") {
    return { who: "person", because: `a person has to approve, too (gates.${criticality} human)` };
  }
  const unclear = reviews
    .filter(({ by, verdict }) => by === "reviewer" && verdict === "approve")
    .flatMap(({ criteria = [] }) => criteria.filter(({ result }) => result === "not_verifiable"));
  if (unclear.length === 0) return undefined;
  const numbers = [...new Set(unclear.map(({ criterion }) => criterion))].join(", ");
  return { who: "person", because: `the Reviewer could not verify criterion ${numbers}: a person has to` };
}
