/** Records verdicts: a Reviewer's is bound to its submission and weighed later, a person's counts at once. */
import { isRed } from "../../core/review/red.ts";
import type { CheckResult } from "../../core/review/check-result.ts";
import { refusalsInForce } from "../../core/journal/counts.ts";
import { mergedVerdict } from "../../core/review/verdict/merge.ts";
import { boundVerdict } from "../../core/review/bound-verdict.ts";
import { unconfirmed } from "../../core/relay/phase.ts";
import { whyNotApproved, whyNoVerdict } from "../../core/relay/person-verdict.ts";
import type { Via } from "../../core/journal/events/fields.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import type { Verdict } from "../../core/review/verdict-schema.ts";
import { failedCheck } from "../../core/review/verdict/findings.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";

/** Records the verdict of a Reviewer's session on the submission of its session.started; the verdict is weighed next. */
export function takeVerdict(relay: Relay, session: number, verdict: Verdict): void {
  const bound = relay.state.sessions.find((record) => record.session === session)?.started.submission;
  const submission = relay.state.submissions.find((record) => record.submission === bound);
  if (!submission || submission.outcome) return;
  if (submission.review?.by === "person" && !unconfirmed(submission)) return;
  const asked = refusalsInForce(openingOf(relay), submission).at(-1);
  const own = withinClone(verdict, relay.places.review);
  relay.record({
    type: "review.given",
    submission: submission.submission,
    session,
    ...boundVerdict(asked ? mergedVerdict(asked, own) : own),
  });
}

/** Makes file paths relative to the repository: agents give absolute paths, or begin with a dot. */
function withinClone(verdict: Verdict, folder: string): Verdict {
  const within = <T extends { file?: string | undefined }>(one: T): T => {
    if (one.file === undefined) return one;
    const file = one.file.startsWith(`${folder}/`) ? one.file.slice(folder.length + 1) : one.file;
    return { ...one, file: file.replace(/^(?:\.\/)+/, "") };
  };
  return { ...verdict, criteria: verdict.criteria.map(within), findings: verdict.findings.map(within) };
}

/** Records a person's verdict from the inbox; returns why not if it is not on the submission under review. */
export function decideByPerson(
  relay: Relay,
  { submission, commit }: { submission: number; commit: string | undefined },
  verdict: PersonVerdict,
): string | undefined {
  const record = relay.state.submissions.find((one) => one.submission === submission);
  const why =
    whyNoVerdict(openingOf(relay), submission) ??
    (verdict.verdict === "approve"
      ? whyNotApproved(record!, { commit, settings: settingsOf(relay), via: verdict.via })
      : undefined);
  if (why) return why;
  const { review, questioned } = record!;
  const { messageId, findings, ...said } = verdict;
  relay.record({
    type: "review.decided",
    submission,
    by: "person",
    ...said,
    ...(said.verdict === "approve" && questioned && { onto: questioned.baseCommit }),
    findings: findings.map((finding) => ({ ...finding, holds: true })),
    ...(review?.by === "reviewer" && review.verdict !== verdict.verdict ? { overrides: review.verdict } : {}),
    messageId,
  });
  return undefined;
}

type PersonVerdict = Pick<Verdict, "verdict" | "findings"> & {
  summary: string;
  via?: Via;
  messageId: string;
};

/** Decides by the checks if there is no Reviewer; the next session is shown `outputOf` each failed check. */
export function decideByChecks(
  relay: Relay,
  submission: SubmissionRecord,
  outputOf: (result: CheckResult) => string,
): void {
  const red = submission.checks?.results.filter(isRed) ?? [];
  relay.record({
    type: "review.decided",
    submission: submission.submission,
    by: "monoco",
    verdict: "request_changes",
    findings: red.map((result) => ({ ...failedCheck(result, outputOf(result)), holds: true })),
  });
}
