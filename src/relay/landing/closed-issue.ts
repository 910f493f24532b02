/** The issue's text for the base after the merge: closed, with the branch's ticks and the review's remarks. */
import { documentAt } from "../../git/repository.ts";
import { contractChanges } from "../../core/issue/contract.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { Way } from "../../core/error/hint-schema.ts";
import { byHand, resume, waysOf } from "../../core/journal/steps.ts";
import type { Block } from "../../core/journal/steps.ts";
import { appendReviewComment, closeIssue, mergeTicks } from "../../core/issue/edit.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import { listedLines } from "../../core/report/landing-message.ts";
import { foundBeside } from "../../core/exchange/follow-ups.ts";
import type { FoundBeside } from "../../core/exchange/follow-ups.ts";
import { oneLine } from "../../core/text/one-line.ts";
import { visible } from "../../core/text/sanitize.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { sentences } from "../../core/language/handoff-words.ts";
import type { Language } from "../../core/language/handoff-words.ts";
import { contractNow, issueTextAt } from "../contract.ts";
import { openingOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { t } from "../../core/language/translate.ts";

/** The text is undefined for a loop, which has no issue file. */
export type ClosedIssue = { text: string | undefined } | Block;

/** The closed issue; or a block if the base's issue is no longer the contract that sessions and Reviewers followed. */
export async function closedIssue(
  relay: Relay,
  record: SubmissionRecord,
  baseCommit: string,
): Promise<ClosedIssue> {
  const { contract, base, loop } = openingOf(relay);
  const { path } = contract;
  if (loop) return { text: undefined };
  const { git } = relay.repository;
  const putBack = byHand(t`put it back on ${base}`);
  const anew: Way = [{ do: "clear" }, { do: "open", note: t`works by the current issue` }];
  try {
    const text = await documentAt(git, baseCommit, contract.path);
    if (text === undefined)
      return { reason: { rule: "issue_changed", path, base, changes: [] }, hint: [putBack, anew] };
    const now = parseIssue(text, contract.path);
    if (now.status !== "open") {
      // A person closed or postponed the issue; a merge must not reverse that.
      const { status, solution } = now;
      const reason = { rule: "issue_closed", path, base, status, solution } as const;
      return { reason, hint: [putBack, [{ do: "clear", note: t`keeps the work` }]] };
    }
    const changes = contractChanges(contractNow(relay).issue, now);
    if (changes.length > 0) {
      return { reason: { rule: "issue_changed", path, base, changes }, hint: [putBack, anew] };
    }
    return { text: await closedText(relay, record, text) };
  } catch (error) {
    if (!(error instanceof MonocoError)) throw error;
    const [advice = []] = waysOf(error.hint);
    const hint = [[{ do: "by_hand", what: t`fix it there` } as const, ...advice, resume]];
    return { reason: { rule: "issue_broken", path, base, said: error.message }, hint };
  }
}

/** The base's text with the branch's ticks, closed, with the review's remarks. */
async function closedText(relay: Relay, record: SubmissionRecord, onBase: string): Promise<string> {
  const opening = openingOf(relay);
  const { contract } = opening;
  const ticked = mergeTicks(onBase, await issueTextAt(relay, record.head));
  const closedAt = new Date(relay.nowMs()).toISOString();
  const closed = closeIssue(ticked, { closedAt, solution: "implemented", file: contract.path });
  const { language } = parseIssue(contract.text, contract.path);
  return appendReviewComment(closed, language, comment(record, foundBeside(opening), language));
}

function comment(record: SubmissionRecord, beside: readonly FoundBeside[], language: Language): string {
  const { review, submission, head } = record;
  const who =
    review?.by === "person"
      ? sentences.aPerson[language]()
      : sentences.theReviewer[language](review?.session ?? "?");
  const findings = beside.map(
    ({ severity, title, refused }) =>
      `  - ${severity}: ${oneLine(title, 200)}${refused ? ` ${sentences.notCounted[language]()}` : ""}`,
  );
  const approved = sentences.approved[language](submission, head.slice(0, 12), who);
  const summary = review?.summary
    ? sentences.remark[language](approved, oneLine(review.summary, 200))
    : approved;
  return visible(
    [`- ${summary}`, ...findings, ...listedLines(record).map((line) => `  - ${line.trim()}`)].join("\n"),
  );
}
