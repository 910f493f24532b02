/** A verdict becomes an event: bound to its submission, and never an approval over a failed check. */
import type { EventBody, Finding, Verdict } from "../core/event.ts";
import type { CheckResult } from "../core/event.ts";
import { inboxMessageSchema } from "../core/message.ts";
import { whyNoVerdict } from "../core/person-verdict.ts";
import type { SubmissionRecord } from "../core/relay-state.ts";
import type { Relay } from "./relay.ts";

/** Records the verdict of the Reviewer session `session` on the submission that its session.started names. */
export function decideReview(relay: Relay, session: number, verdict: Verdict): void {
  const bound = relay.state.sessions.find((record) => record.session === session)?.started.submission;
  const submission = relay.state.submissions.find((record) => record.submission === bound);
  if (!submission || submission.review) return;
  relay.record(reviewEvent(submission, verdict, { by: "reviewer", session }));
}

/** A person's verdict from the inbox; what is not on the submission under review counts for nothing. */
export function decideByPerson(
  relay: Relay,
  submission: number,
  verdict: Verdict & { messageId: string },
): string | undefined {
  const why = whyNoVerdict(relay.state, submission);
  if (why) return why;
  const record = relay.state.submissions.find((candidate) => candidate.submission === submission)!;
  relay.record({ ...reviewEvent(record, verdict, { by: "person" }), messageId: verdict.messageId });
  return undefined;
}

/**
 * Verdicts that came while agent-written code was at work are not taken: nobody can tell whose they are, and with the
 * person's rights anything can write there. Answers with how many there were; called when that code is gone.
 */
export function turnVerdictsAway(relay: Relay): number {
  const letters = relay.edges.mailbox
    .readMailbox(relay.places.inbox, inboxMessageSchema)
    .filter(({ message }) => message.type === "review");
  for (const { take } of letters) take();
  return letters.length;
}

/** Without a Reviewer the checks decide; `outputOf` is what the next session is shown of a failed one. */
export function decideByChecks(
  relay: Relay,
  submission: SubmissionRecord,
  outputOf: (result: CheckResult) => string,
): void {
  const red = submission.checks?.results.filter((result) => result.exitCode !== 0) ?? [];
  relay.record({
    type: "review.decided",
    submission: submission.submission,
    by: "monoco",
    verdict: "request_changes",
    findings: red.map((result, index) => ({
      ...redFinding(result, index),
      evidence: { ...redFinding(result, index).evidence, text: outputOf(result) },
    })),
  });
}

type Who = { by: "reviewer"; session: number } | { by: "person" };

function reviewEvent(
  submission: SubmissionRecord,
  verdict: Verdict,
  who: Who,
): Extract<EventBody, { type: "review.decided" }> {
  const red = submission.checks?.results.filter((result) => result.exitCode !== 0) ?? [];
  const overruled = verdict.verdict === "approve" && submission.checks?.ok === false;
  return {
    type: "review.decided",
    submission: submission.submission,
    ...who,
    verdict: overruled ? "request_changes" : verdict.verdict,
    findings: overruled ? [...verdict.findings, ...red.map(redFinding)] : verdict.findings,
    ...(verdict.summary === undefined ? {} : { summary: verdict.summary }),
    ...(overruled
      ? { overruled: `an approval with a failed check: ${red.map((result) => result.command).join(", ")}` }
      : {}),
  };
}

function redFinding(result: CheckResult, index: number): Finding {
  return {
    id: `check-${index + 1}`,
    severity: "blocker",
    title: `The check fails: ${result.command}`,
    evidence: {
      command: result.command,
      ...(result.exitCode === null ? {} : { exitCode: result.exitCode }),
      text: result.timedOut ? "timed out" : `see ${result.log}`,
    },
  };
}
