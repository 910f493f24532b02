/** A verdict is weighed before it counts: is there evidence for each criterion, does it reproduce, and what holds back? */
import { criteriaCited, criteriaNamedIn } from "./criterion-cited.ts";
import type { CheckResult } from "./check-result.ts";
import { oneLine } from "../text/one-line.ts";
import { stableIds } from "./finding-ids.ts";
import type { Criterion, Finding, Probe, Verdict } from "./verdict-schema.ts";

/** What monoco knows of its own. */
export type Known = {
  /** The contract's criteria in words, in their order. */
  criteria: readonly string[];
  /** The checks that it ran on the submission. */
  checks: readonly CheckResult[];
  /** What the named commands exited with here; null: not over in time, or killed. Those that are not in it were not run. */
  exits: ReadonlyMap<string, number | null>;
  /** The number of lines of each named file that is there. */
  lines: ReadonlyMap<string, number>;
  /** Protected paths that the submission changes. */
  guarded: readonly string[];
  /** What was found in earlier rounds. */
  earlier: readonly Finding[];
};

export type Weighed = {
  criteria: Criterion[];
  probes: Probe[];
  findings: Finding[];
  /** Why the verdict does not count; empty where it does. */
  why: string[];
};

/** Reasons that are told; a Reviewer may leave out hundreds of criteria. */
const reasonsMax = 20;

/** `monoco check` in a Reviewer's hands is the checks that monoco ran itself. */
export const checkCommand = "monoco check";

export function weigh(verdict: Verdict, known: Known): Weighed {
  const criteria = verdict.criteria.map((criterion) => ({ ...criterion, ...lookedAt(criterion, known) }));
  const probes = verdict.probes.map((probe) => ({ ...probe, ...lookedAt(probe, known) }));
  const weighed = { criteria, probes, findings: judgeFindings(verdict, known) };
  const own = weighed.findings.slice(0, verdict.findings.length);
  const why =
    verdict.verdict === "approve"
      ? againstApproval({ ...weighed, findings: own }, known)
      : againstRequest(weighed.findings);
  const more = why.length - reasonsMax;
  return { ...weighed, why: more > 0 ? [...why.slice(0, reasonsMax), `… and ${more} more`] : why };
}

/** The commands that the verdict names as evidence and monoco has not run yet, each once, in their order. */
export function commandsToRun(verdict: Verdict, checks: readonly CheckResult[]): string[] {
  const named = [...verdict.criteria, ...verdict.probes, ...verdict.findings.map(({ evidence }) => evidence)];
  const own = new Set([checkCommand, ...checks.map(({ command }) => command)]);
  const commands = named.flatMap(({ command, exitCode }) =>
    command === undefined || exitCode === undefined || own.has(command.trim()) || command.includes("\0")
      ? []
      : [command],
  );
  return [...new Set(commands)];
}

/** The files that it names. */
export function filesNamed({ criteria, findings }: Verdict): string[] {
  return [...new Set([...criteria, ...findings].flatMap(({ file }) => file ?? []))];
}

type Evidence = Pick<Criterion, "command" | "exitCode" | "file" | "line">;
type Looked = Pick<Criterion, "reproduced" | "seen">;

/** A command that was not run, or not to its end, says nothing either way. */
function lookedAt({ command, exitCode, file, line }: Evidence, known: Known): Looked {
  if (command !== undefined && exitCode !== undefined) {
    if (command.trim() === checkCommand && known.checks.length === 0)
      return { reproduced: false, seen: "there are no checks" };
    const exit = exitOf(command, known);
    if (exit === undefined || exit === null) return {};
    return exit === exitCode
      ? { reproduced: true }
      : { reproduced: false, seen: `exit status ${exit}, not ${exitCode}` };
  }
  if (file === undefined) return {};
  const lines = known.lines.get(file);
  if (lines === undefined) return { reproduced: false, seen: "there is no such file" };
  if ((line ?? 1) > lines) return { reproduced: false, seen: `it has ${lines} lines` };
  return { reproduced: true };
}

function exitOf(command: string, { checks, exits }: Known): number | null | undefined {
  const name = command.trim();
  if (name === checkCommand && checks.length > 0)
    return checks.every(({ exitCode }) => exitCode === 0) ? 0 : 1;
  const check = checks.find((result) => result.command === name);
  return check ? check.exitCode : exits.get(command);
}

function againstApproval({ criteria, probes, findings }: Omit<Weighed, "why">, known: Known): string[] {
  const red = known.checks.filter(({ exitCode }) => exitCode !== 0).map(({ command }) => command);
  const own = new Set([checkCommand, ...known.checks.map(({ command }) => command)]);
  return [
    ...(red.length > 0 ? [`an approval with a failed check: ${red.join(", ")}`] : []),
    ...known.criteria.flatMap((text, index) => againstCriterion(text, index + 1, criteria)),
    ...(probes.some(({ command }) => !own.has(command.trim()))
      ? []
      : ["no probe of its own: a command beyond the checks, with its exit status"]),
    ...probes.filter(({ reproduced }) => reproduced === false).map((probe) => differs("probe", probe)),
    ...findings
      .filter(({ holds, severity }) => holds || severity === "blocker")
      .map(({ id, severity }) => `it approves over its own finding ${id} (${severity})`),
  ];
}

/** All that is said of one criterion has to hold: the worst of it counts. */
function againstCriterion(text: string, number: number, criteria: readonly Criterion[]): string[] {
  const name = `criterion ${number} (${oneLine(text, 60)})`;
  const said = criteria.filter(({ criterion }) => criterion === number);
  if (said.length === 0) return [`${name}: no evidence`];
  return said.flatMap((one) => {
    if (one.result === "not_met") return [`${name}: not met, and yet it approves`];
    if (one.reproduced === false) return [differs(name, one)];
    if (one.result === "not_verifiable")
      return one.text?.trim() ? [] : [`${name}: not verifiable, and no word why`];
    const shown = one.command !== undefined && one.exitCode !== undefined;
    return shown || (one.file !== undefined && one.line !== undefined)
      ? []
      : [`${name}: name the command and its exit status, or file and line`];
  });
}

function differs(name: string, { command, file, line, seen }: Evidence & Looked): string {
  const what = command ?? `${file}${line === undefined ? "" : `:${line}`}`;
  return `${name}: \`${oneLine(what, 120)}\` does not reproduce: ${seen}`;
}

function againstRequest(findings: readonly Finding[]): string[] {
  return findings.some(({ holds }) => holds)
    ? []
    : [
        "nothing that it found holds back an approval: only a blocker or a major does that cites a criterion (by its number: `2`), a failed check (by its command) or a protected path",
      ];
}

/** Findings with ids that last, each marked where it holds back; what is not met or red and has no finding gets one. */
function judgeFindings(verdict: Verdict, known: Known): Finding[] {
  const own = verdict.findings.map((finding) => ({
    ...finding,
    ...lookedAt({ ...finding, ...finding.evidence }, known),
  }));
  return stableIds([...own, ...unsaid(verdict, known)], known.earlier).map((finding) =>
    holdsBack(finding, known) ? { ...finding, holds: true } : finding,
  );
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
    citedBy(finding, criteria).length > 0 ||
    checks.some(({ command, exitCode }) => exitCode !== 0 && citesCheck(finding, command)) ||
    guarded.some((path) => path === finding.file || path === cites)
  );
}

/** In its own field, else in the sentence that it begins with. */
function citedBy({ criterion = "", title }: Finding, criteria: readonly string[]): number[] {
  const cited = criteriaCited(criterion, criteria);
  return cited.length > 0 ? cited : criteriaNamedIn(title, criteria);
}

function isGrave({ severity }: Pick<Finding, "severity">): boolean {
  return severity === "blocker" || severity === "major";
}

function citesCheck({ criterion, evidence }: Finding, command: string): boolean {
  return criterion?.trim() === command || evidence.command?.trim() === command;
}
