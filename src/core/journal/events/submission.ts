/** Folds submissions, their inspection and the checks. */
import { inspectionCounts } from "../../review/inspection.ts";
import { short } from "../../text/figures.ts";
import { trialCounts } from "../../trial/trial-words.ts";
import { failureWords, isRed } from "../../review/red.ts";
import type { CheckResult } from "../../review/check-result.ts";
import type { EventOf } from "../event.ts";
import type { RelayState, SubmissionRecord } from "../relay-state.ts";
import { openingOf, sessionOf, submissionOf } from "./subject.ts";
import type { RecordsOf } from "./record.ts";
import type { submissionSchemas } from "./submission-schema.ts";
import { byWords, viaNote } from "../via.ts";
import { named } from "../../language/names.ts";
import { t } from "../../language/translate.ts";

export const submissionRecords: RecordsOf<typeof submissionSchemas> = {
  "submission.requested": {
    fold: request,
    sentence: (event) => [
      "plain",
      t`submission ${event.submission}: commit ${short(event.head)} by ${byWords(event)}`,
    ],
  },
  "submission.refused": {
    isChoice: true,
    fold: (state, event) => {
      settle(state, event.session);
      const opening = openingOf(state);
      opening.refusal = event;
      const { sessions, refusals } = opening.sinceResume;
      if (sessions.some(({ session }) => session === event.session)) refusals.push(event);
    },
    sentence: (event) => ["bad", t`submission refused: ${event.why}` + viaNote(event.via)],
  },
  "contract.tampered": {
    fold: (state, event) => {
      submissionOf(state, event.submission).tampered = event.fields;
    },
    sentence: (event) => [
      "bad",
      t`submission ${event.submission} changes the contract: ${event.fields.join(", ")}`,
    ],
  },
  "submission.inspected": {
    fold: (state, { submission, protected: paths, weakened, more }) => {
      submissionOf(state, submission).inspection = {
        protected: paths,
        weakened,
        ...(more ? { more } : {}),
      };
    },
    sentence: (event) => ["bad", t`submission ${event.submission} changes ${inspectionCounts(event)}`],
  },
  "submission.tried": {
    fold: (state, { submission, trial }) => {
      submissionOf(state, submission).trial = trial;
    },
    sentence: ({ submission, trial }) => {
      const counts = trialCounts(trial);
      return counts.length === 0 ? undefined : ["bad", t`submission ${submission}: ${counts.join(t`; `)}`];
    },
  },
  "baseline.ran": {
    fold: (state, event) => {
      openingOf(state).baseline = event;
    },
    sentence: ({ commit, results }) => {
      const red = results.filter(isRed);
      const known = results.length > 0 && red.length === 0;
      if (known) return ["good", t`the checks are green on the base (${short(commit)})`];
      const failed = red.map(failureWords).join("; ");
      return [
        "bad",
        t`red on the base (${short(commit)}) already; the same failure counts against nobody: ${failed}`,
      ];
    },
  },
  "checks.ran": {
    fold: (state, event) => {
      if (event.target === "session") sessionOf(state, event.n).checks = event;
      else if (event.target === "submission") {
        const submission = submissionOf(state, event.n);
        submission.checks = event;
        if (event.trial) submission.trial = event.trial;
      } else submissionOf(state, event.n).mergeChecks = event;
    },
    sentence: (event) => [
      event.ok ? "good" : "bad",
      t`${named(event.target)} ${event.n}: ${checksWords(event)}`,
    ],
  },
};

function request(state: RelayState, event: EventOf<"submission.requested">): void {
  const opening = openingOf(state);
  const { submission, head, tree, by, session } = event;
  const record: SubmissionRecord = {
    submission,
    head,
    tree,
    by,
    session,
    sessionsThen: opening.sessions.at(-1)?.session ?? 0,
    tampered: [],
    refusals: [],
    reviews: [],
    confirmations: [],
  };
  for (const { submissions } of [state, opening, opening.sinceResume]) submissions.push(record);
  settle(state, session);
  opening.freshSince = "submission";
  // A submission that arrives while a merge is prepared but not landed replaces it.
  delete opening.merge;
  // A person may submit while the pull request is open.
  delete opening.finished;
  delete opening.refusal;
  opening.sinceResume.refusals = [];
  delete opening.mergeTrouble;
  delete opening.sinceResume.redByHand;
  // These blocks are about verdicts on the previous submission.
  if (opening.resumedFrom === "evidence_unclear" || opening.resumedFrom === "no_verdict")
    delete opening.resumedFrom;
}

function settle(state: RelayState, session: number | undefined): void {
  if (session !== undefined) sessionOf(state, session).submissionSettled = true;
}

function checksWords({ ok, results }: EventOf<"checks.ran">): string {
  if (results.length === 0) return t`no checks are configured`;
  const before = results.filter(({ asBefore }) => asBefore);
  if (ok && before.length > 0) return t`red as on the base: ${commandsOf(before)}`;
  if (ok) return t`checks green`;
  return t`checks RED: ${commandsOf(results.filter(isRed))}`;
}

const commandsOf = (results: readonly CheckResult[]): string =>
  results.map(({ command }) => command).join(", ");
