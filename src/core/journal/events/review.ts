/** Folds verdicts into the relay and the submission that they are about. */
import type { EventOf } from "../event.ts";
import type { RelayState } from "../relay-state.ts";
import { openingOf, submissionOf } from "./subject.ts";
import type { RecordsOf } from "./record.ts";
import type { reviewSchemas } from "./review-schema.ts";
import { byWords } from "../via.ts";
import { named } from "../../language/names.ts";
import { t } from "../../language/translate.ts";

export const reviewRecords: RecordsOf<typeof reviewSchemas> = {
  "review.given": {
    fold: (state, event) => {
      submissionOf(state, event.submission).given = event;
    },
    sentence: () => undefined,
  },
  "review.refused": {
    isChoice: true,
    fold: (state, event) => {
      const submission = submissionOf(state, event.submission);
      delete submission.given;
      submission.refusals.push(event);
    },
    sentence: (event) => [
      "bad",
      event.verdict === "approve"
        ? t`rejected session ${event.session}'s approval of submission ${event.submission}: ${event.why.join(t`; `)}`
        : t`rejected session ${event.session}'s request for changes on submission ${event.submission}: ${event.why.join(t`; `)}`,
    ],
  },
  "review.decided": {
    isChoice: true,
    fold: decide,
    sentence: (event) => [event.verdict === "approve" ? "good" : "bad", verdictWords(event)],
  },
};

function decide(state: RelayState, event: EventOf<"review.decided">): void {
  const submission = submissionOf(state, event.submission);
  delete submission.given;
  const confirms = event.onto !== undefined && event.verdict === "approve";
  if (confirms) submission.confirmations.push(event);
  // A confirmation leaves the earlier approval in force.
  if (!confirms || event.by === "person") {
    submission.reviews.push(event);
    submission.review = event;
  }
  const opening = openingOf(state);
  const { sinceResume, merge } = opening;
  if (event.by === "monoco" && submission.by === "person") sinceResume.redByHand = event.submission;
  else delete sinceResume.redByHand;
  if (event.verdict === "request_changes" && merge?.submission === event.submission) delete opening.merge;
  // Work that was left in the pull request is taken up again.
  if (event.by === "pull_request") delete opening.finished;
  opening.freshSince = "review";
}

function verdictWords(event: EventOf<"review.decided">): string {
  const by = byWords(event);
  const failed = event.by === "monoco";
  const findings = event.findings.map(({ severity, title }) => t`${named(severity)}: ${title}`).join(t`; `);
  const notes = [
    ...(event.overrides ? [t`against the Reviewer's ${named(event.overrides)}`] : []),
    ...(event.trend ? [named(event.trend)] : []),
  ];
  const what =
    event.verdict === "request_changes"
      ? event.onto
        ? failed
          ? t`checks failed on the merged tree`
          : t`changes requested on the merged tree by the ${by}`
        : failed
          ? t`checks failed`
          : t`changes requested by the ${by}`
      : event.onto
        ? t`confirmed on the merged tree by the ${by}`
        : t`approved by the ${by}`;
  const noted = notes.length > 0 ? t`${what} (${notes.join(t`; `)})` : what;
  return t`submission ${event.submission}: ${noted}${findings ? t`: ${findings}` : ""}`;
}
