/** The Reviewer's part of a prompt: listed places, earlier findings, criteria, checks, diff. */
import type { Language } from "../language/handoff-words.ts";
import type { CheckResult } from "../review/check-result.ts";
import type { Inspection } from "../review/inspection-schema.ts";
import { inspectionLines } from "../review/inspection.ts";
import type { Finding } from "../review/verdict-schema.ts";
import { oneLine } from "../text/one-line.ts";
import { fence } from "./fence.ts";
import { foundText, findingsText } from "./findings-text.ts";
import { sectionToJudge, section, checkText } from "./section.ts";

export type ReviewInput = {
  submission: number;
  head: string;
  mergeBase: string;
  diff: string;
  diffCut: boolean;
  checks: readonly (CheckResult & { tail: string })[];
  tampered: readonly string[];
  /** For the review of a merge after an approval: the reason, the approval's summary, and the base's changes since. */
  merged?: { words: string; summary: string | undefined; moved: string } | undefined;
  inspection?: Inspection | undefined;
  /** The texts of the criteria; a verdict refers to them by position, from 1. */
  criteria: readonly string[];
  /** The refused verdict that the Reviewer is asked about: why it does not count yet, and its findings. */
  again?: RefusedVerdict | undefined;
  /** The findings on the previous submission, and the changes since. */
  open?: { submission: number; head: string; findings: readonly Finding[]; delta: string } | undefined;
  /** The findings on submissions before that. */
  earlier: readonly { submission: number; findings: readonly Finding[] }[];
  verdictBySchema: boolean;
};

export type RefusedVerdict = {
  submission: number;
  session: number;
  verdict: "approve" | "request_changes";
  why: readonly string[];
  findings: readonly Finding[];
  /** The check that fails with the new tests on the base. */
  guard?: string | undefined;
};

/** The language of the prompt, and the branch that the work goes to. */
type Frame = { language: Language; base: string };

export function reviewSections(input: Frame, review: ReviewInput): string[] {
  const { language } = input;
  if (review.again) return questions(input, review, review.again);
  const cut = review.diffCut
    ? `\n[cut here; see git diff ${review.mergeBase.slice(0, 12)} ${review.head.slice(0, 12)}]`
    : "";
  return [
    ...mergedSections(input, review.merged),
    review.tampered.length > 0
      ? section("tampered", language, review.tampered.map((field) => `- ${field}`).join("\n"))
      : "",
    ...inspectionSections(review.inspection, language),
    review.open
      ? section(
          "openFindings",
          language,
          `${firstThese[language]}\n\n${foundText(review.open, language)}`,
          review.open.submission,
        )
      : "",
    review.open ? section("delta", language, fence(review.open.delta), review.open.submission) : "",
    section("criteria", language, fence(numbered(review.criteria))),
    section("checks", language, review.checks.map(checkText).join("\n\n") || "-"),
    review.earlier.length > 0
      ? section("earlier", language, review.earlier.map((round) => fence(findingsText(round))).join("\n\n"))
      : "",
    section("diff", language, fence(review.diff + cut)),
  ];
}

/** Only the questions, and the criteria that they concern. */
function questions({ language }: Frame, review: ReviewInput, again: RefusedVerdict): string[] {
  return [
    section("refusedVerdict", language, refusedText(again, language)),
    waysOn[language](again.guard),
    section("criteria", language, fence(numbered(review.criteria))),
  ];
}

function mergedSections({ language, base }: Frame, merged: ReviewInput["merged"]): string[] {
  if (!merged) return [];
  const said = fence([merged.words, ...(merged.summary ? [merged.summary] : [])].join("\n\n"));
  return [
    section("merged", language, `${confirmThis[language].replaceAll("$1", base)}\n\n${said}`, base),
    section("moved", language, fence(merged.moved), base),
  ];
}

const confirmThis: Record<Language, string> = {
  en: "Your working folder holds the merge of the two: it has no conflict, and its checks are green. Say in a short session whether the approval holds for it: look where the two sides meet, and run what shows that they work together. The approval stands for the criteria: `criteria` may be empty. Name one probe of yours that is not a check. A finding counts as in any review; one about the base alone is a note. The diff below is what the merge would change on `$1`.",
  zh: "你的工作目录是两者无冲突的合并结果，其检查全部通过。请在一次简短的会话中判断批准对它是否仍然成立：查看两边相交之处，运行能证明两者可一起工作的命令。各条标准以原批准为准：`criteria` 可以为空。请给出一个不是检查的探测命令。发现与一般评审同样计算；只涉及基线的是备注。下面的差异是这次合并将在 `$1` 上做的改动。",
};

const firstThese: Record<Language, string> = {
  en: "Look at these, and at what has changed since, before anything else. Say for each whether it is solved; one that is not comes back under the same id. Say as `trend` whether the work is `converging`, `stagnant` or `diverging`.",
  zh: "先查看这些发现和此后的改动。逐条说明是否已解决；未解决的以同一 id 再次列出。以 `trend` 说明工作是在收敛（`converging`）、停滞（`stagnant`）还是发散（`diverging`）。",
};

/** The refused verdict as text: its form was wrong, but its findings may be right. */
function refusedText(again: RefusedVerdict, language: Language): string {
  const said = notCounted[language].replace("$1", String(again.session)).replace("$2", again.verdict);
  const findings = again.findings.length > 0 ? [lookAtThese[language], fence(findingsText(again))] : [];
  return [said, listed(again.why), ...findings].join("\n\n");
}

const notCounted: Record<Language, string> = {
  en: "The verdict of session $1 was $2. It does not count yet, because of what follows:",
  zh: "会话 $1 的裁决为 $2，因以下原因尚不计入：",
};

const lookAtThese: Record<Language, string> = {
  en: "It found what follows. What is true comes back under the same id, with the number of the criterion that it breaks; of what is not, say why in your summary.",
  zh: "该裁决有以下发现。属实的以同一 id 再次列出，并写明所违反标准的编号；不属实的，在总结中说明理由。",
};

/** The kinds of evidence that count for this submission. */
const waysOn: Record<Language, (guard: string | undefined) => string> = {
  en: (guard) =>
    [
      "Of a criterion, name what shows it: a command that runs the work (a test of this, or a program of a line or two, which you may add) and ends otherwise without it",
      ...(guard ? [`or \`${guard}\`, which fails on the base with the new tests, if they test this`] : []),
      "or, where the criterion is about a document or a setting, a file and a line that the submission adds",
      "or say `not_verifiable` and why: a person decides then. Of a listed place, say in `answers` why it may stand.",
    ].join("; "),
  zh: (guard) =>
    [
      "对每条标准给出证明：运行这项工作、且没有它结果就不同的命令（针对它的测试，或你添加的一两行程序）",
      ...(guard ? [`或 \`${guard}\`（它与新测试一起在基线上失败），如果这些测试测的是它`] : []),
      "或者，当标准是关于文档或设置时，提交所添加的文件和行",
      "或者 `not_verifiable` 及原因，随后由人决定。对列出的每一处，在 `answers` 中说明为何可以保留。",
    ].join("；"),
};

function listed(lines: readonly string[]): string {
  return lines.map((text) => `- ${oneLine(text, 2_000)}`).join("\n");
}

function numbered(lines: readonly string[]): string {
  return lines.map((text, index) => `${index + 1}. ${text}`).join("\n") || "-";
}

function inspectionSections(inspection: Inspection | undefined, language: Language): string[] {
  if (!inspection) return [];
  const { paths, weakened } = inspectionLines(inspection, language);
  return [sectionToJudge("protected", paths, language), sectionToJudge("weakened", weakened, language)];
}
