/** Gathers the input of a session's prompt. A Reviewer gets none of the Executor's words. */
import { commitOf } from "../../git/repository.ts";
import { refs } from "../../git/refs.ts";
import { becauseOf } from "../../core/reason/reason.ts";
import type { StartReason } from "../../core/reason/start-schema.ts";
import type { Agent } from "../../agents/agent.ts";
import type { Role } from "../../core/settings/agent-kinds.ts";
import { isRed } from "../../core/review/red.ts";
import type { CheckResult } from "../../core/review/check-result.ts";
import { sourcesFirst } from "../../core/weakening/sources-first.ts";
import { additionCharsMax, diffBytesInPrompt, diffStatFilesMax, saidInPromptMax } from "../../core/limits.ts";
import type { Live } from "../../core/session/live.ts";
import type { PromptInput } from "../../core/prompt/prompt.ts";
import { composePrompt } from "../../core/prompt/prompt.ts";
import type { Finding } from "../../core/review/verdict-schema.ts";
import type { ReviewInput } from "../../core/prompt/review-sections.ts";
import type { Opening, SessionRecord, SubmissionRecord } from "../../core/journal/relay-state.ts";
import { workBefore } from "../../core/relay/work-before.ts";
import { unconfirmed, underReview } from "../../core/relay/phase.ts";
import { contractNow, criteriaNow } from "../contract.ts";
import { tailOf } from "../../store/check-log.ts";
import { gatherFacts } from "./facts.ts";
import { learningsFor } from "../landing/learn.ts";
import { openingOf, settingsOf, startOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { sentences } from "../../core/language/handoff-words.ts";
import type { Language } from "../../core/language/handoff-words.ts";

/** The session that `decide` asks for: its role, its reason, and a Reviewer's submission. */
export type SessionPlan = {
  role: Role;
  reason: StartReason;
  agents: readonly string[];
  submission?: number | undefined;
};

/** The whole prompt of a session. */
export async function composeFor(
  relay: Relay,
  of: { plan: SessionPlan; session: number; live: Live; agent: Agent },
): Promise<string> {
  const { plan, session, agent } = of;
  const opening = openingOf(relay);
  const settings = settingsOf(relay);
  const templates = relay.templates(settings.language);
  const last = opening.sessions.findLast(({ role }) => role === "executor");
  const executor = plan.role === "executor";
  const head = (await commitOf(relay.repository.git, refs.head(relay.issue))) ?? opening.baseCommit;
  const at = {
    head,
    wip: workBefore(opening)?.wip,
    unfinished: last?.ended?.unfinished,
    repositories: last?.ended?.repositories,
    checks: checksNow(opening, last),
  };
  const facts = executor ? await gatherFacts(relay, at) : undefined;
  return composePrompt({
    language: settings.language,
    roleText: opening.roleTexts[plan.role],
    frame: !executor
      ? plan.reason.rule === "verdict_not_counted"
        ? templates.reviewerAgain
        : templates.reviewerPrompt
      : opening.loop
        ? templates.loopPrompt
        : templates.executorPrompt,
    loop: opening.loop,
    issue: facts?.issue ?? contractNow(relay).issue,
    contract: opening.contract.text,
    session,
    because: becauseOf(plan.reason),
    base: opening.base,
    branch: opening.branch,
    quality: settings.quality,
    minutes: Math.round(of.live.sessionMinutes * 10) / 10,
    checks: of.live.checks,
    facts: facts?.inPrompt ?? [],
    learnings: executor ? learningsFor(relay) : [],
    ...(executor
      ? { ...before(relay), addition: await additionOf(relay), failed: failedOf(relay, at.checks) }
      : { review: await reviewOf(relay, plan, agent) }),
  });
}

type Checks = SubmissionRecord["checks"];

/** The last checks on the current work: of the merged tree or submission, or of a later Executor session (`last`). */
function checksNow({ submissions, mergeTrouble }: Opening, last: SessionRecord | undefined): Checks {
  const submission = submissions.at(-1);
  if (submission && (last?.session ?? 0) <= submission.sessionsThen)
    return mergeTrouble?.type === "merge.rejected" ? submission.mergeChecks : submission.checks;
  return last?.checks ?? submissions.findLast(({ head }) => head === last?.ended?.head)?.checks;
}

/** What the Executor has to know about earlier sessions, reviews and merges. */
function before(relay: Relay): Partial<PromptInput> {
  const opening = openingOf(relay);
  const { language } = settingsOf(relay);
  const { base, handoff, submissions, said, question, refusal, mergeTrouble } = opening;
  const review = submissions.at(-1)?.review;
  return {
    handoff: handoff && { session: handoff.session, text: handoff.text },
    // monoco's own findings are failed checks, which the prompt shows with their output.
    findings:
      review?.verdict === "request_changes" && review.by !== "monoco"
        ? {
            submission: review.submission,
            findings: review.findings,
            summary: review.summary,
          }
        : undefined,
    said: said.slice(-saidInPromptMax),
    question: question?.text,
    refusal: refusal?.why,
    disbelieved: disbelieved(opening, language),
    mergeTrouble:
      mergeTrouble?.type === "merge.conflicted"
        ? sentences.conflicts[language](`origin/${base}`, mergeTrouble.paths.join(", "))
        : (mergeTrouble?.why ??
          (review?.verdict === "request_changes" && review.onto
            ? sentences.approvedButNotMerged[language](`origin/${base}`, review.onto.slice(0, 12))
            : undefined)),
  };
}

/** The last Executor session's claim to be done, if the session did not submit and was not put up for review. */
function disbelieved({ sessions }: Opening, language: Language): PromptInput["disbelieved"] {
  const last = sessions.findLast(({ role }) => role === "executor");
  const scored = last?.scored;
  if (!scored || scored.finished) return undefined;
  const { exitSignal, contradiction, promise, closing, done } = scored;
  const outright = [
    ...(exitSignal === true ? ["EXIT_SIGNAL: true"] : contradiction === undefined ? [] : ["RALPH_STATUS: …"]),
    ...(promise ? ["<promise>…</promise>"] : []),
    ...(closing?.done ? ['{"done": true}'] : []),
  ];
  const claims = outright.length > 0 || !done ? outright : [sentences.inWords[language]()];
  return claims.length > 0 ? { session: last.session, claims, because: becauseOf(scored.reason) } : undefined;
}

/** The files that the Reviewer who requested changes left in its clone. */
async function additionOf(relay: Relay): Promise<string | undefined> {
  const { sessions, submissions } = openingOf(relay);
  const { language } = settingsOf(relay);
  const last = submissions.at(-1);
  if (last?.review?.verdict !== "request_changes") return undefined;
  const by = last.review.session;
  const added = sessions.find(({ session }) => session === by)?.ended?.wip;
  if (added === undefined) return undefined;
  const args = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all"];
  const patch = await relay.repository.git([...args, last.head, added]);
  return patch.length > additionCharsMax
    ? `${sourcesFirst(patch).slice(0, additionCharsMax)}\n${sentences.cutHere[language](last.head.slice(0, 12), added.slice(0, 12))}`
    : patch;
}

async function reviewOf(
  relay: Relay,
  { submission: n = 0, reason }: SessionPlan,
  agent: Agent,
): Promise<ReviewInput> {
  const isAgain = reason.rule === "verdict_not_counted";
  const { git } = relay.repository;
  const { submissions } = openingOf(relay);
  const record = submissions.find((one) => one.submission === n)!;
  const submission = underReview(record);
  const questioned = unconfirmed(record);
  const begin = await startOf(relay, submission.head);
  const options = [
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--stat",
    `--stat-count=${diffStatFilesMax}`,
    "--patch",
    "--ignore-submodules=all",
  ];
  const diff = await git(["diff", ...options, begin, submission.head]);
  const rounds = submissions
    .filter((record) => record.submission < n)
    .flatMap((record) => {
      const findings = foundOn(record);
      return findings ? [{ submission: record.submission, head: record.head, findings }] : [];
    });
  const last = rounds.at(-1);
  return {
    submission: n,
    head: submission.head,
    mergeBase: begin,
    diff: cut(diff),
    diffCut: diff.length > diffBytesInPrompt,
    checks: (submission.checks?.results ?? []).map((result) => ({
      ...result,
      tail: tailOf(relay.places.relay, result),
    })),
    tampered: submission.tampered,
    inspection: submission.inspection,
    criteria: criteriaNow(relay),
    again: isAgain ? askedAbout(submission, questioned?.baseCommit) : undefined,
    ...(questioned && {
      merged: {
        words: becauseOf(questioned.reason),
        summary: record.review?.summary,
        moved: cut(await git(["diff", ...options, questioned.since, questioned.baseCommit])),
      },
    }),
    open:
      last && !questioned
        ? { ...last, delta: cut(await git(["diff", ...options, last.head, submission.head])) }
        : undefined,
    earlier: questioned ? [] : rounds.slice(0, -1),
    verdictBySchema: agent.capabilities.verdictBySchema,
  };
}

/** The verdict that did not count, and the check whose tests show the work. */
function askedAbout({ refusals, trial }: SubmissionRecord, onto: string | undefined): ReviewInput["again"] {
  const refused = refusals.findLast((one) => one.onto === onto);
  const guard = trial?.onBase.result === "fail" ? trial.onBase.by : undefined;
  return refused && { ...refused, ...(guard !== undefined && { guard }) };
}

/** Findings of people and Reviewers on a submission, also in uncounted verdicts; undefined if nobody reviewed it. */
function foundOn({ review, refusals }: SubmissionRecord): Finding[] | undefined {
  const counted = review && review.by !== "monoco" ? review : undefined;
  if (!counted && refusals.length === 0) return undefined;
  const findings = [...refusals.flatMap(({ findings }) => findings), ...(counted?.findings ?? [])];
  return [...new Map(findings.map((finding) => [finding.id, finding])).values()];
}

function cut(diff: string): string {
  return diff.length > diffBytesInPrompt ? sourcesFirst(diff).slice(0, diffBytesInPrompt) : diff;
}

/** The failed checks, with their output. */
export function failedOf(relay: Relay, checks: Checks): (CheckResult & { tail: string })[] {
  return (checks?.results ?? [])
    .filter(isRed)
    .map((result) => ({ ...result, tail: tailOf(relay.places.relay, result) }));
}
