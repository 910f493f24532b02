/**
 * Conditions for a person's verdict: it concerns the submission under review, after its checks, while no session is running and
 * none has continued the work. It overrules a Reviewer's.
 */
import type { Step } from "../error/hint-schema.ts";
import { failureWords, isRed } from "../review/red.ts";
import { short } from "../text/figures.ts";
import type { Settings } from "../settings/settings.ts";
import type { Via } from "../journal/events/fields.ts";
import { gatedPaths } from "./gate.ts";
import { currentSubmission, runningSession } from "./phase.ts";
import type { Opening, SubmissionRecord } from "../journal/relay-state.ts";
import { t } from "../language/translate.ts";

const settled: Record<NonNullable<SubmissionRecord["outcome"]>, (submission: number) => string> = {
  merged: (submission) => t`submission ${submission} is merged`,
  conflicted: (submission) => t`submission ${submission} is conflicted`,
  rejected: (submission) => t`submission ${submission} is rejected`,
  kept: (submission) => t`submission ${submission} is kept`,
};

/** The reason why a verdict cannot be taken now; undefined if it can. */
export function whyNoVerdict(opening: Opening, submission: number): string | undefined {
  const current = currentSubmission(opening);
  if (!current || current.submission !== submission)
    return t`submission ${submission} is not the one under review`;
  if (current.outcome) return settled[current.outcome](submission);
  if (!current.checks) return t`submission ${submission} is not checked yet`;
  const running = runningSession(opening);
  if (running) return t`session ${running.session} is at work: what comes meanwhile may be its own`;
  if (current.given) {
    return t`the verdict of session ${current.given.session} on submission ${submission} is being weighed: what comes meanwhile may be of what is run for it`;
  }
  const since = opening.sessions.find(
    ({ role, session }) => role === "executor" && session > current.sessionsThen,
  );
  return (
    since &&
    t`session ${since.session} has worked on since submission ${submission}: the next submission is the one to review`
  );
}

/** The reason why no person can approve it; undefined if one can. */
export function whyNotApproved(record: SubmissionRecord, approval?: Approval): string | undefined {
  const { submission, head, checks } = record;
  if (checks?.ok === false) {
    const red = checks.results.filter(isRed).map(failureWords);
    return t`submission ${submission} cannot be approved over a failed check: ${red.join(", ")}`;
  }
  if (approval?.commit !== undefined && approval.commit !== head)
    return t`the approval is of commit ${short(approval.commit)}, but submission ${submission} is ${short(head)}`;
  if (!approval?.via || approval.settings.gates.remote) return undefined;
  const paths = gatedPaths(approval.settings, record);
  if (paths.length === 0) return undefined;
  const some = paths.slice(0, 5).join(", ");
  return t`it changes ${some}: a person at the clone where it runs has to approve that, unless that clone's monoco.yaml has gates: { remote: true }`;
}

/** The commit that a person approves, and who it is where the approval came from elsewhere. */
type Approval = { commit: string | undefined; settings: Settings; via: Via | undefined };

/** The judging step with the verdicts that would be taken now; undefined if none would be. */
export function judging(opening: Opening): Extract<Step, { do: "judge" }> | undefined {
  const current = currentSubmission(opening);
  if (!current || whyNoVerdict(opening, current.submission) !== undefined) return undefined;
  const approve = whyNotApproved(current) === undefined ? (["approve"] as const) : [];
  return { do: "judge", verdicts: [...approve, "request_changes"] };
}
