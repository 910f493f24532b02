/** Findings of a verdict: which of them hold back an approval, now and in later rounds. */
import { oneLine } from "../../text/one-line.ts";
import type { CheckResult } from "../check-result.ts";
import { criteriaCited, criteriaNamedIn } from "../criterion-cited.ts";
import { stableIds } from "../finding-ids.ts";
import type { Finding, Verdict } from "../verdict-schema.ts";
import { isCommand, ranOn } from "./known.ts";
import type { Known } from "./known.ts";
import { lookedAt } from "./looked-at.ts";

/** Findings with ids that last, each marked where it holds back; what is not met or red and has no finding gets one. */
export function judgeFindings(verdict: Verdict, known: Known): Finding[] {
  const own = verdict.findings.map((finding) => ({
    ...finding,
    ...lookedAt({ ...finding, ...finding.evidence }, known),
    ...lacking(finding, known),
  }));
  return stableIds([...own, ...unsaid(verdict, known)], known.earlier).map((finding) =>
    holdsBack(finding, known) ? { ...finding, holds: true } : finding,
  );
}

/** What its command already lacks now. A later run that lacks the same does not show that the Reviewer has lost a file. */
function lacking(
  { evidence: { command = "" } }: Verdict["findings"][0],
  { branch }: Known,
): { lacks?: string } {
  const lacks = branch.get(command)?.lacks;
  return lacks === undefined ? {} : { lacks };
}

function unsaid(verdict: Verdict, known: Known): Finding[] {
  const grave = verdict.findings.filter(isGrave);
  const cited = new Set(grave.flatMap((finding) => citedBy(finding, known.criteria)));
  const unmet = verdict.criteria
    .filter(({ criterion, result }) => result === "not_met" && !cited.has(criterion))
    .filter(({ criterion }) => criterion <= known.criteria.length)
    .map(({ criterion, command, exitCode, file, line, text }) => ({
      id: `criterion-${criterion}`,
      severity: "blocker" as const,
      title: `Not met: ${oneLine(known.criteria[criterion - 1]!, 200)}`,
      criterion: String(criterion),
      file,
      line,
      evidence: { command, exitCode, text: text ?? "the Reviewer says so" },
    }));
  const red = (verdict.verdict === "approve" ? [] : known.checks)
    .filter(({ exitCode }) => exitCode !== 0)
    .filter(({ command }) => !grave.some((finding) => citesCheck(finding, command)))
    .map((result) => failedCheck(result));
  return [...unmet, ...red];
}

/** A failed check as a finding. */
export function failedCheck({ command, exitCode, timedOut, log }: CheckResult, text?: string): Finding {
  return {
    id: `check-${command}`,
    severity: "blocker",
    title: `The check fails: ${command}`,
    criterion: command,
    evidence: {
      command,
      ...(exitCode === null ? {} : { exitCode }),
      text: text ?? (timedOut ? "timed out" : `see ${log}`),
    },
  };
}

function holdsBack(finding: Finding, { criteria, checks, guarded }: Known): boolean {
  if (!isGrave(finding)) return false;
  const cites = finding.criterion?.trim() ?? "";
  return (
    tellsFromBase(finding) ||
    citedBy(finding, criteria).length > 0 ||
    checks.some(({ command, exitCode }) => exitCode !== 0 && citesCheck(finding, command)) ||
    guarded.some((path) => path === finding.file || path === cites)
  );
}

/** Its command fails here as it says, and ends otherwise on the base: whatever it cites, it is the submission's doing. */
export function tellsFromBase({ worth, reproduced, evidence }: Finding): boolean {
  return worth === "shown" && reproduced === true && isCommand(evidence) && evidence.exitCode !== 0;
}

/** Grave findings of earlier verdicts whose command still ends as they say: nobody's later approval outvotes them. */
export function stillThere(known: Known): Finding[] {
  return graveBefore(known.earlier).filter(({ lacks, evidence: { command = "", exitCode } }) => {
    const now = ranOn("branch", command, known);
    // A file of that Reviewer's own may be missing now: that says nothing, unless the same was missing then.
    const ran = known.branch.get(command);
    if (ran?.missing && (lacks === undefined || ran.lacks !== lacks)) return false;
    return now?.exitCode === exitCode;
  });
}

/** Those that are resolved as long as a new file is there that nothing names: a plugin, or a prop. */
export function onlyByNewFiles(known: Known): Finding[] {
  const there = new Set(stillThere(known));
  return graveBefore(known.earlier).filter(
    (finding) =>
      !there.has(finding) &&
      known.unresolved?.get(finding.evidence.command ?? "")?.exitCode === finding.evidence.exitCode,
  );
}

/** Each with each of its commands: that a later verdict calls it a note, or names another command, resolves nothing. */
export function graveBefore(earlier: readonly Finding[]): Finding[] {
  const grave = earlier.filter((finding) => isGrave(finding) && tellsFromBase(finding));
  return [
    ...new Map(grave.map((finding) => [`${finding.id}\0${finding.evidence.command}`, finding])).values(),
  ];
}

/** In its own field, else in the sentence that it begins with. */
function citedBy({ criterion = "", title }: Finding, criteria: readonly string[]): number[] {
  const cited = criteriaCited(criterion, criteria);
  return cited.length > 0 ? cited : criteriaNamedIn(title, criteria);
}

export function isGrave({ severity }: Pick<Finding, "severity">): boolean {
  return severity === "blocker" || severity === "major";
}

function citesCheck({ criterion, evidence }: Finding, command: string): boolean {
  return criterion?.trim() === command || evidence.command?.trim() === command;
}
