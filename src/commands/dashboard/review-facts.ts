/** The submission that a person reviews in the dashboard: what its dossier says, as facts, and its diff. */
import { MonocoError } from "../../core/error/error.ts";
import { evidenceTable, plainPen, reviewersWords } from "../../core/report/dossier.ts";
import { listedPlaces } from "../../core/review/inspection.ts";
import { markdownTree } from "../../views/page/markdown-tree.ts";
import { visible } from "../../core/text/sanitize.ts";
import { trialLines } from "../../core/trial/trial-words.ts";
import { detailOf } from "../../app/live/detail.ts";
import type { ReviewFacts } from "../../views/page/facts.ts";
import { cutLines, plainDiff } from "../relay/diff.ts";
import { named } from "../../core/language/names.ts";
import { languageSpoken, t } from "../../core/language/translate.ts";
import type { Place } from "./readers.ts";

export async function reviewFacts({ here, issue, state }: Place): Promise<ReviewFacts | null> {
  const detail = state && (await detailOf(here, issue));
  if (!detail?.submission) return null;
  const { account, submission, closed } = detail;
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
    title: account.title,
    submission: submission.submission,
    head: submission.head,
    verdict: review ? t`${named(review.verdict)} by ${named(review.by.replaceAll("_", " "))}` : null,
    summary: markdownTree(review?.summary ?? ""),
    closed,
    evidence: evidenceTable(
      account.criteria.map(({ text }) => text),
      reviewer?.criteria ?? [],
      plainPen,
    ),
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

/** The diff of the submission; what is hidden in it is spelt out. */
export async function diffOf({ here, issue, state }: Place): Promise<string> {
  const { baseCommit, submissions = [] } = state?.opening ?? {};
  const head = submissions.at(-1)?.head;
  if (head === undefined) throw new MonocoError("input", t`${issue} has no submission to review`);
  const range = `${baseCommit}...${head}`;
  return visible(cutLines(await here.repository.git(["diff", ...plainDiff, range]), range));
}
