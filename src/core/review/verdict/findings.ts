/** Decides which findings of a verdict hold back an approval, now and in later rounds. */
import { oneLine } from "../../text/one-line.ts";
import { isRed as isRedCheck } from "../red.ts";
import type { CheckResult } from "../check-result.ts";
import { failsByAbsence, lackedBy } from "../../trial/output.ts";
import { isRun } from "../../trial/due.ts";
import { stableIds } from "../finding-ids.ts";
import type { Finding, Verdict } from "../verdict-schema.ts";
import { isCommand, onBranch } from "./known.ts";
import type { Known } from "./known.ts";
import { lookedAt } from "./looked-at.ts";

/** The findings with lasting ids, each marked if it holds back. An unmet criterion or a red check without a finding gets one. */
export function judgeFindings(verdict: Verdict, known: Known): Finding[] {
  const own = verdict.findings.map((finding) => {
    const looked = lookedAt({ ...finding, ...finding.evidence }, known);
    const lacks = lackedOn("branch", finding, known);
    // A program that is missing on the base, while its command fails for another reason here, is a defect of the submission.
    const isDefect = looked.reproduced && isRed(finding) && lacks === undefined;
    const absent = isDefect && lackedOn("base", finding, known) !== undefined;
    return {
      ...finding,
      ...looked,
      ...(absent && { worth: "shown" as const }),
      ...(lacks !== undefined && { lacks }),
    };
  });
  return stableIds([...own, ...unsaid(verdict, known)], known.earlier).map((finding) =>
    holdsBack(finding, known) ? { ...finding, holds: true } : finding,
  );
}

const isRed = ({ evidence }: Pick<Finding, "evidence">): boolean => (evidence.exitCode ?? 0) !== 0;

/** The thing that the command lacks on a tree. If a later run lacks the same thing, the Reviewer has not lost a file. */
function lackedOn(
  tree: "branch" | "base",
  { evidence: { command = "" } }: Verdict["findings"][0],
  { runs }: Known,
): string | undefined {
  const ran = runs.get(command)?.[tree];
  return ran && isRun(ran) ? lackedBy(ran.exitCode, ran.output ?? "") : undefined;
}

function unsaid(verdict: Verdict, known: Known): Finding[] {
  const grave = verdict.findings.filter(isGrave);
  const cited = new Set(grave.map(({ criterion }) => criterion));
  const unmet = verdict.criteria
    .filter(({ criterion, result }) => result === "not_met" && !cited.has(criterion))
    .filter(({ criterion }) => criterion <= known.criteria.length)
    .map(({ criterion, command, exitCode, file, line, text }) => ({
      id: `criterion-${criterion}`,
      severity: "blocker" as const,
      title: `Not met: ${oneLine(known.criteria[criterion - 1]!, 200)}`,
      criterion,
      file,
      line,
      evidence: { command, exitCode, text: text ?? "the Reviewer says so" },
    }));
  const red = (verdict.verdict === "approve" ? [] : known.checks)
    .filter(isRedCheck)
    .filter(({ command }) => !grave.some((finding) => citesCheck(finding, command)))
    .map((result) => failedCheck(result));
  return [...unmet, ...red];
}

export function failedCheck({ command, exitCode, timedOut, log }: CheckResult, text?: string): Finding {
  return {
    id: `check-${command}`,
    severity: "blocker",
    title: `The check fails: ${command}`,
    evidence: {
      command,
      ...(exitCode === null ? {} : { exitCode }),
      text: text ?? (timedOut ? "timed out" : `see ${log}`),
    },
  };
}

function holdsBack(finding: Finding, { criteria, checks, guarded }: Known): boolean {
  if (!isGrave(finding)) return false;
  const { criterion = 0, file = "" } = finding;
  return (
    tellsFromBase(finding) ||
    (criterion > 0 && criterion <= criteria.length) ||
    checks.some((check) => isRedCheck(check) && citesCheck(finding, check.command)) ||
    guarded.includes(file)
  );
}

/** Whether the command fails here as claimed, and ends differently on the base: then the submission is at fault, whatever the finding cites. */
export function tellsFromBase({ worth, reproduced, evidence }: Finding): boolean {
  return worth === "shown" && reproduced === true && isCommand(evidence) && evidence.exitCode !== 0;
}

/** Grave findings of earlier verdicts whose command still ends as claimed: no later approval outvotes them. */
export function stillThere(known: Known): Finding[] {
  return graveBefore(known.earlier).filter(({ lacks, evidence: { command = "", exitCode } }) => {
    const ran = known.runs.get(command)?.branch;
    // A file of that Reviewer's own may be missing now, which means nothing unless it was missing then, too.
    const isMissing = ran && isRun(ran) && failsByAbsence(ran.exitCode, ran.output ?? "");
    if (isMissing && (lacks === undefined || lackedBy(ran.exitCode, ran.output ?? "") !== lacks))
      return false;
    return onBranch(command, known) === exitCode;
  });
}

/** Findings that count as resolved only because of a new file that nothing refers to: a plugin, or a prop. */
export function onlyByNewFiles(known: Known): Finding[] {
  const there = new Set(stillThere(known));
  return graveBefore(known.earlier).filter((finding) => {
    const { command = "", exitCode } = finding.evidence;
    const unused = known.runs.get(command)?.unused;
    return !there.has(finding) && unused !== undefined && isRun(unused) && unused.exitCode === exitCode;
  });
}

/** Earlier grave findings with each of their commands: a later verdict that calls one a note, or names another command, resolves nothing. */
export function graveBefore(earlier: readonly Finding[]): Finding[] {
  const grave = earlier.filter((finding) => isGrave(finding) && tellsFromBase(finding));
  return [
    ...new Map(grave.map((finding) => [`${finding.id}\0${finding.evidence.command}`, finding])).values(),
  ];
}

export function isGrave({ severity }: Pick<Finding, "severity">): boolean {
  return severity === "blocker" || severity === "major";
}

function citesCheck({ evidence }: Pick<Finding, "evidence">, command: string): boolean {
  return evidence.command?.trim() === command;
}
