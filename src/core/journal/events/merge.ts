/** Folds the events of a merge, or of work that is left on its branch. */
import { becauseOf } from "../../reason/reason.ts";
import { waitsWords } from "../../reason/pull-rows.ts";
import { short } from "../../text/figures.ts";
import type { EventOf } from "../event.ts";
import type { RelayState } from "../relay-state.ts";
import type { mergeSchemas } from "./merge-schema.ts";
import { openingOf, submissionOf } from "./subject.ts";
import type { RecordsOf } from "./record.ts";
import { named } from "../../language/names.ts";
import { t } from "../../language/translate.ts";

export const mergeRecords: RecordsOf<typeof mergeSchemas> = {
  "merge.questioned": {
    fold: (state, event) => {
      submissionOf(state, event.submission).questioned = event;
      delete openingOf(state).merge;
    },
    sentence: ({ reason }) => [
      "plain",
      t`to be confirmed on the merged tree by a Reviewer: ${becauseOf(reason)}`,
    ],
  },
  "merge.prepared": {
    fold: (state, event) => {
      openingOf(state).merge = event;
    },
    sentence: (event) => [
      "dim",
      t`merge of submission ${event.submission} prepared as ${short(event.commit)}`,
    ],
  },
  "merge.done": {
    isChoice: true,
    fold: (state, event) => {
      submissionOf(state, event.submission).outcome = "merged";
      const opening = openingOf(state);
      delete opening.merge;
      opening.merged = event;
    },
    sentence: (event) => [
      "good",
      t`merged submission ${event.submission} as ${short(event.commit)}${event.pullRequest === undefined ? "" : t` by its pull request ${event.pullRequest}`}${keptWords(event.kept)}`,
    ],
  },
  "merge.escaped": {
    isChoice: true,
    fold: () => undefined,
    sentence: ({ by, text }) => ["bad", t`the merge was wrong, says a ${named(by)}: ${text}`],
  },
  "merge.conflicted": {
    fold: (state, event) => fail(state, event, "conflicted"),
    sentence: (event) => ["bad", t`merge conflict in ${event.paths.join(", ")}`],
  },
  "merge.rejected": {
    fold: (state, event) => fail(state, event, "rejected"),
    sentence: (event) => ["bad", t`merge rejected: ${event.why}`],
  },
  "relay.finished": {
    isChoice: true,
    fold: (state, event) => {
      submissionOf(state, event.submission).outcome = "kept";
      const opening = openingOf(state);
      opening.finished = event;
      const { pullRequest: url, submission, commit } = event;
      if (url !== undefined) opening.pullRequest = { url, submission, commit };
    },
    sentence: (event) => [
      "good",
      t`finished: submission ${event.submission} is left on its branch${event.pullRequest === undefined ? "" : t`, pull request ${event.pullRequest}`}${keptWords(event.kept)}`,
    ],
  },
  "pull_request.seen": {
    fold: (state, event) => {
      const { pullRequest } = openingOf(state);
      if (pullRequest) pullRequest.seen = event;
    },
    sentence: (event) => ["plain", t`looked at ${event.url}: ${waitsWords(event)}`],
  },
};

function fail(
  state: RelayState,
  event: EventOf<"merge.conflicted"> | EventOf<"merge.rejected">,
  outcome: "conflicted" | "rejected",
): void {
  submissionOf(state, event.submission).outcome = outcome;
  const opening = openingOf(state);
  delete opening.merge;
  opening.mergeTrouble = event;
  opening.sinceResume.mergeRepairs += 1;
}

function keptWords(kept: readonly string[] = []): string {
  return kept.length === 0 ? "" : t`; kept: ${kept.join(t`; `)}`;
}
