/** The submission that a person reviews in the dashboard: what its dossier says, as facts, and its diff. */
import { MonocoError } from "../../core/error/error.ts";
import { criteriaOf } from "../../core/issue/contract.ts";
import { parseIssue } from "../../core/issue/issue.ts";
import type { Opening, SubmissionRecord } from "../../core/journal/relay-state.ts";
import { replay } from "../../core/journal/state.ts";
import { currentSubmission } from "../../core/relay/phase.ts";
import { whyNoVerdict } from "../../core/relay/person-verdict.ts";
import { evidenceTable, plainPen, reviewersWords } from "../../core/report/dossier.ts";
import { listedPlaces } from "../../core/review/inspection.ts";
import { markdownTree } from "../../views/page/markdown-tree.ts";
import { visible } from "../../core/text/sanitize.ts";
import { trialLines } from "../../core/trial/trial-words.ts";
import { viewJournal } from "../../store/journal-view.ts";
import { placesFor } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import type { ReviewFacts } from "../../views/page/facts.ts";
import { cutLines, plainDiff } from "../relay/diff.ts";
import { named } from "../../core/language/names.ts";
import { languageSpoken, t } from "../../core/language/translate.ts";

type Place = { here: Here; issue: string };

export async function reviewFacts({ here, issue }: Place): Promise<ReviewFacts | null> {
  const found = submissionOf(here, issue);
  if (!found) return null;
  const { opening, submission } = found;
  const language = languageSpoken();
  const reviewer = reviewersWords(submission);
  const answers = new Map(reviewer?.answers?.map(({ id, text }) => [id, text]));
  const { review, trial, checks } = submission;
  const own = review && review.by !== "reviewer" ? review : undefined;
  const findings = [
    ...(own?.findings ?? []).map((one) => ({ ...one, by: named(own!.by.replace("_", " ")) })),
    ...(reviewer?.findings ?? []).map((one) => ({ ...one, by: named("reviewer") })),
  ];
  return {
    repository: here.repository.root,
    id: issue,
    title: opening.title,
    submission: submission.submission,
    head: submission.head,
    verdict: review ? named(review.verdict) : null,
    summary: markdownTree(review?.summary ?? ""),
    closed: whyNoVerdict(opening, submission.submission) ?? null,
    evidence: evidenceTable(criteriaIn(opening), reviewer?.criteria ?? [], plainPen),
    trial: trial ? trialLines(trial, language, reviewer?.takenBack) : [],
    places: listedPlaces(submission.inspection, language).map(({ id, words }) => ({
      id,
      words,
      answer: answers.get(id) ?? null,
    })),
    findings: findings.map(({ id, severity, title, by, file, line, evidence }) => ({
      id,
      severity: named(severity),
      title,
      by,
      file: file ?? null,
      line: line ?? null,
      text: [evidence.command, evidence.text].filter(Boolean).join("\n"),
    })),
    checks: (checks?.results ?? []).map(({ command, exitCode, timedOut, asBefore }) => ({
      command,
      good: exitCode === 0 || asBefore !== undefined,
      result: timedOut
        ? t`timed out`
        : exitCode === 0
          ? named("green")
          : t`exit status ${exitCode ?? named("none")}`,
    })),
    command: `monoco issue review ${issue}`,
  };
}

function criteriaIn({ contract }: Opening): readonly string[] {
  return criteriaOf(parseIssue(contract.text, contract.path));
}

function submissionOf(
  here: Here,
  issue: string,
): { opening: Opening; submission: SubmissionRecord } | undefined {
  const { opening } = replay(viewJournal(placesFor(here, issue).journal));
  const submission = opening && currentSubmission(opening);
  return opening && submission && { opening, submission };
}

/** The diff of the submission; what is hidden in it is spelt out. */
export async function diffOf({ here, issue }: Place): Promise<string> {
  const found = submissionOf(here, issue);
  if (!found) throw new MonocoError("input", t`${issue} has no submission to review`);
  const range = `${found.opening.baseCommit}...${found.submission.head}`;
  return visible(cutLines(await here.repository.git(["diff", ...plainDiff, range]), range));
}
