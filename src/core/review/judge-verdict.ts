/** A verdict is weighed before it counts: is there evidence for each criterion, does it reproduce, and what holds back? */
import { criteriaCited, criteriaNamedIn } from "./criterion-cited.ts";
import type { CheckResult } from "./check-result.ts";
import { oneLine } from "../text/one-line.ts";
import { stableIds } from "./finding-ids.ts";
import type { ListedPlace } from "./inspection.ts";
import type { Answer, Criterion, Finding, Probe, Verdict } from "./verdict-schema.ts";
import { natureOf } from "./command-nature.ts";
import type { CommandNature } from "./command-nature.ts";
import { kindOf } from "../issue/criterion-kind.ts";
import type { CriterionKind, Margin } from "../issue/criterion-kind.ts";
import { isForPerson, needs, supports, unsupported, worthOfCommand } from "./evidence.ts";
import type { Emptied, Ran, Worth } from "./evidence.ts";

/** What monoco knows of its own. */
export type Known = {
  /** The contract's criteria in words, in their order. */
  criteria: readonly string[];
  /** The checks that it ran on the submission. */
  checks: readonly CheckResult[];
  /** The named commands that were run on the submission. */
  branch: ReadonlyMap<string, Ran>;
  /** Those that were run on the base. */
  base: ReadonlyMap<string, Ran>;
  /** Commands that have run on the submission with all its work taken out. */
  emptied?: ReadonlyMap<string, Emptied>;
  /** How commands ended that have run on the submission once more, after the base: no state outside the clones may tell. */
  again?: ReadonlyMap<string, Ran>;
  /** Commands that measure, by what the submission changes itself. */
  ownRulers?: ReadonlySet<string>;
  /** Commands of earlier findings on the submission without the new files that nothing names. */
  unresolved?: ReadonlyMap<string, Ran>;
  /** Why nothing could be run on the base. */
  baseTrouble?: string | undefined;
  /** The number of lines of each named file that is there. */
  lines: ReadonlyMap<string, number>;
  /** The numbers of the lines whose words the submission adds, by file. */
  added: ReadonlyMap<string, ReadonlySet<number>>;
  /** Protected paths that the submission changes. */
  guarded: readonly string[];
  /** Protected paths and weakenings that it lists, each to be answered. */
  listed?: readonly ListedPlace[];
  /** The submission is approved, and looked at once more: what is not said again stands. */
  confirms?: boolean;
  /** What was found in earlier rounds. */
  earlier: readonly Finding[];
};

export type Weighed = {
  criteria: Criterion[];
  probes: Probe[];
  findings: Finding[];
  /** Of places that are listed. */
  answers?: Answer[];
  /** Earlier findings whose commands end otherwise only while new files are there that nothing names: a person decides. */
  unresolved?: string[];
  /** Why the verdict does not count; empty where it does. */
  why: string[];
};

/** Reasons that are told; a Reviewer may leave out hundreds of criteria. */
const reasonsMax = 20;

/** `monoco check` in a Reviewer's hands is the checks that monoco ran itself. */
export const checkCommand = "monoco check";

export function weigh(verdict: Verdict, known: Known): Weighed {
  const criteria = verdict.criteria
    .filter(({ criterion }) => criterion <= known.criteria.length)
    .map((criterion) => judgeCriterion(criterion, known));
  const probes = verdict.probes.map((probe) => ({ ...probe, ...triedAgain(probe, known) }));
  const ids = new Set(known.listed?.map(({ id }) => id));
  const answers = (verdict.answers ?? [])
    .filter(({ text }) => text.trim() !== "")
    .flatMap(({ id, text }) => (id.match(/[PW]\d+/gi) ?? []).map((one) => ({ id: one.toUpperCase(), text })))
    .filter(({ id }) => ids.has(id));
  const weighed = {
    criteria,
    probes,
    findings: judgeFindings(verdict, known),
    ...(answers.length > 0 && { answers }),
    ...(verdict.verdict === "approve" && unresolvedIn(known)),
  };
  const own = weighed.findings.slice(0, verdict.findings.length);
  const why =
    verdict.verdict === "approve"
      ? againstApproval({ ...weighed, findings: own }, known)
      : againstRequest(weighed.findings);
  const more = why.length - reasonsMax;
  return { ...weighed, why: more > 0 ? [...why.slice(0, reasonsMax), `… and ${more} more`] : why };
}

/** The commands that the verdict and earlier findings name as evidence and monoco has not run yet, each once, in their order. */
export function commandsToRun(
  verdict: Verdict,
  { checks, earlier }: Pick<Known, "checks" | "earlier">,
): string[] {
  const found = [...verdict.findings, ...earlier.filter(tellsFromBase)].map(({ evidence }) => evidence);
  const named = [...verdict.criteria, ...verdict.probes, ...found];
  const own = new Set([checkCommand, ...checks.map(({ command }) => command)]);
  return [...new Set(named.filter(isCommand).map(({ command }) => command))].filter(
    (command) => !own.has(command.trim()),
  );
}

/** A command to run on the base, and how often: three times on each side where its criterion is measured. */
export type BaseRun = { command: string; margin?: Margin };

/**
 * The commands of criteria and grave findings that ended on the submission as the verdict says, each once: those of
 * criteria first. `monoco check` stands for every check. A constant command is not run again.
 */
export function commandsForBase(
  verdict: Verdict,
  known: Pick<Known, "criteria" | "checks" | "branch">,
): BaseRun[] {
  const named = [
    ...verdict.criteria.map((one) => ({ ...one, ...kindOf(known.criteria[one.criterion - 1] ?? "") })),
    ...verdict.findings.filter(isGrave).map(({ evidence }) => ({ ...evidence, margin: undefined })),
  ].flatMap((one) => (isCommand(one) ? [one] : []));
  const found = new Map<string, BaseRun>();
  for (const { command, exitCode, margin } of named) {
    if (ranOn("branch", command, { ...known, base: new Map() })?.exitCode !== exitCode) continue;
    if (natureFor(command, margin) === "constant") continue;
    const all = command.trim() === checkCommand ? known.checks.map((check) => check.command) : [command];
    for (const one of all) {
      if (!found.get(one)?.margin) found.set(one, { command: one, ...(margin && { margin }) });
    }
  }
  return [...found.values()];
}

type Named = { command?: string | undefined; exitCode?: number | undefined };

type NamedCommand = { command: string; exitCode: number };

function isCommand<T extends Named>(one: T): one is T & NamedCommand {
  return one.command !== undefined && one.exitCode !== undefined && !one.command.includes("\0");
}

/** The files that it names. */
export function filesNamed({ criteria, findings }: Verdict): string[] {
  return [...new Set([...criteria, ...findings].flatMap(({ file }) => file ?? []))];
}

type Evidence = Pick<Criterion, "command" | "exitCode" | "file" | "line">;
type Looked = Pick<Criterion, "reproduced" | "seen" | "worth" | "base">;

function judgeCriterion(criterion: Verdict["criteria"][0], known: Known): Criterion {
  const text = known.criteria[criterion.criterion - 1];
  const { kind, guessed, margin } = kindOf(text ?? "");
  const looked = lookedAt(criterion, known, margin);
  const { worth } = looked;
  const judged = { ...criterion, ...looked, ...(text === undefined ? {} : { kind, guessed }) };
  if (worth === undefined) return judged;
  const { command } = criterion;
  const tried = kind === "behaves" && command !== undefined ? known.emptied?.get(command) : undefined;
  const absent = worth === "shown_by_absence" && kind === "behaves" && command !== undefined;
  const emptied = absent ? (tried ?? "not_tried") : tried;
  // What is `shown` has no need to say that it would notice.
  const how = emptied && (absent || emptied === "same" || isForPerson(emptied)) ? { emptied } : {};
  const enough = supports(kind, asEvidence({ ...criterion, worth, ...how }));
  if (enough && kind === "measured" && known.ownRulers?.has(command ?? ""))
    return { ...judged, ownRuler: true, supports: false };
  return { ...judged, ...how, supports: enough };
}

function asEvidence(
  one: Pick<Criterion, "command" | "exitCode" | "text" | "emptied"> & { worth: Worth },
): Parameters<typeof supports>[1] {
  return { ...one, nature: one.command === undefined ? "reads" : natureOf(one.command) };
}

/** A command that was not run, or not to its end, says nothing either way. */
function lookedAt(evidence: Evidence, known: Known, margin?: Margin): Looked {
  const { file, line } = evidence;
  if (isCommand(evidence)) return lookedAtCommand(evidence, known, margin);
  if (file === undefined) return {};
  const lines = known.lines.get(file);
  if (lines === undefined) return { reproduced: false, seen: "no such file" };
  if ((line ?? 1) > lines) return { reproduced: false, seen: `it has ${lines} lines` };
  return { reproduced: true, worth: known.added.get(file)?.has(line ?? 0) ? "shown" : "hollow" };
}

function lookedAtCommand(named: NamedCommand, known: Known, margin: Margin | undefined): Looked {
  const looked = triedAgain(named, known, margin);
  if (looked.worth !== undefined || looked.reproduced !== true) return looked;
  const { command } = named;
  const base = ranOn("base", command, known);
  const branch = ranOn("branch", command, known)!;
  const worth = worthOfCommand({ nature: natureFor(command, margin), branch, base, margin });
  return { ...looked, worth, ...(base && { base: base.exitCode }) };
}

export type EvidenceCommand = { command: string; exitCode: number };

/** The commands of criteria by which an approval shows behaviour: what they say of the submission when its work is taken out. */
export function commandsForEmptied(
  verdict: Verdict,
  known: Pick<Known, "criteria" | "checks" | "branch" | "base">,
): EvidenceCommand[] {
  const found = (verdict.verdict === "approve" ? verdict.criteria : []).flatMap((one) => {
    if (!isCommand(one) || kindOf(known.criteria[one.criterion - 1] ?? "").kind !== "behaves") return [];
    const { command, exitCode } = one;
    const [branch, base] = [ranOn("branch", command, known), ranOn("base", command, known)];
    if (branch?.exitCode !== exitCode || !base || base.exitCode === exitCode) return [];
    return natureOf(command) === "runs" ? [{ command, exitCode }] : [];
  });
  return [...new Map(found.map((one) => [one.command, one])).values()];
}

/** The commands of earlier findings that end otherwise now: is it the work that has resolved them? */
export function commandsResolved({
  earlier,
  ...known
}: Pick<Known, "earlier" | "checks" | "branch">): EvidenceCommand[] {
  return graveBefore(earlier).flatMap(({ evidence }) => {
    if (!isCommand(evidence) || natureOf(evidence.command) !== "runs") return [];
    const now = ranOn("branch", evidence.command, { ...known, base: new Map() });
    return !now || now.exitCode === evidence.exitCode ? [] : [evidence];
  });
}

/** What is seen on the submission alone. */
function triedAgain({ command, exitCode }: NamedCommand, known: Known, margin?: Margin): Looked {
  if (command.trim() === checkCommand && known.checks.length === 0)
    return { reproduced: false, seen: "there are no checks" };
  const ran = ranOn("branch", command, known);
  if (!ran || ran.exitCode === null) return { worth: "unseen" };
  if (ran.exitCode !== exitCode)
    return { reproduced: false, seen: `exit status ${ran.exitCode}, not ${exitCode}` };
  const again = known.again?.get(command);
  if (again && again.exitCode !== exitCode)
    return {
      reproduced: false,
      seen: `exit status ${again.exitCode ?? "none"} when it ran again after the base`,
    };
  return { reproduced: true, ...(natureFor(command, margin) === "constant" ? { worth: "hollow" } : {}) };
}

/** Of a command that measures, the figure counts and not the status: `node bench.js | tail -1`. */
function natureFor(command: string, margin: Margin | undefined): CommandNature {
  return natureOf(command, margin ? "output" : "status");
}

/** What a command came to on one side; `monoco check` is every check in one. */
function ranOn(
  side: "branch" | "base",
  command: string,
  known: Pick<Known, "checks" | "branch" | "base">,
): Ran | undefined {
  const name = command.trim();
  const { checks } = known;
  if (name === checkCommand && checks.length > 0) {
    const all = checks.map((check) => ranOn(side, check.command, known));
    return all.find((ran) => ran?.exitCode !== 0 || ran.exitCode === null) ?? all[0];
  }
  if (side === "base") return known.base.get(command) ?? known.base.get(name);
  const check = checks.find((result) => result.command === name);
  const ran = known.branch.get(command);
  return ran?.figures ? ran : (check ?? ran);
}

function againstApproval(
  { criteria, probes, findings, answers }: Omit<Weighed, "why">,
  known: Known,
): string[] {
  const red = known.checks.filter(({ exitCode }) => exitCode !== 0).map(({ command }) => command);
  const own = new Set([checkCommand, ...known.checks.map(({ command }) => command)].map(plainCommand));
  const tried = probes.filter(({ command }) => !own.has(plainCommand(command)));
  return [
    ...(red.length > 0 ? [`an approval with a failed check: ${red.join(", ")}`] : []),
    ...known.criteria.flatMap((text, index) => againstCriterion(text, index + 1, { criteria, known })),
    ...againstProbes(tried),
    ...probes.filter(({ reproduced }) => reproduced === false).map((probe) => differs("probe", probe)),
    ...findings
      .filter(({ holds, severity }) => holds || severity === "blocker")
      .map(({ id, severity }) => `it approves over its own finding ${id} (${severity})`),
    ...unanswered(answers ?? [], known),
    ...stillThere(known).map(notResolved("")),
    // Nobody asks a person about what is only confirmed.
    ...(known.confirms ? onlyByNewFiles(known) : []).map(
      notResolved(" once the new files that nothing names are taken out"),
    ),
  ];
}

function notResolved(when: string): (finding: Finding) => string {
  return ({ id, title, evidence: { command = "", exitCode } }) =>
    `finding ${id} (${oneLine(title, 60)}) is not resolved: \`${oneLine(command, 120)}\` still ends with exit status ${exitCode}${when}`;
}

function unanswered(answers: readonly Answer[], { listed = [] }: Known): string[] {
  const answered = new Set(answers.map(({ id }) => id));
  return listed
    .filter(({ id }) => !answered.has(id))
    .map(({ id, words }) => `${id} (${oneLine(words, 120)}) is listed and not answered`);
}

/** All that is said of one criterion has to hold: the worst of it counts. */
function againstCriterion(
  text: string,
  number: number,
  { criteria, known }: { criteria: readonly Criterion[]; known: Known },
): string[] {
  const name = `criterion ${number} (${oneLine(text, 60)})`;
  const said = criteria.filter(({ criterion }) => criterion === number);
  if (said.length === 0) return known.confirms ? [] : [`${name}: no evidence`];
  const wrong = said.flatMap((one) => {
    if (one.result === "not_met") return [`${name}: not met, and yet it approves`];
    if (one.reproduced === false) return [differs(name, one)];
    if (one.result !== "not_verifiable") return [];
    return one.text?.trim() ? [] : [`${name}: not verifiable, and no word why`];
  });
  const met = said.filter(({ result }) => result === "met");
  if (wrong.length > 0 || known.confirms || met.length === 0 || met.some((one) => one.supports)) return wrong;
  const { kind, margin } = kindOf(text);
  // No fault of the Reviewer's: a person decides.
  if (known.baseTrouble !== undefined && met.some(({ worth }) => worth === "unseen")) return [];
  if (kind === "measured" && !margin) return [];
  if (met.some(({ emptied, ownRuler }) => ownRuler === true || isForPerson(emptied))) return [];
  const whys = met.map((one) => whyUnsupported(kind, one));
  return [`${name} is of the kind "${kind.replace("_", " ")}", but ${whys.join("; ")}: ${needs[kind]}`];
}

function whyUnsupported(kind: CriterionKind, one: Criterion): string {
  if (one.worth === undefined) return "no command and exit status, or file and line, is named";
  const what = one.command ?? `${one.file}${one.line === undefined ? "" : `:${one.line}`}`;
  return `\`${oneLine(what, 120)}\` does not show it: ${whyNot(kind, one, one.worth)}`;
}

function whyNot(kind: CriterionKind, one: Criterion, worth: Worth): string {
  if (worth === "hollow" && one.command && natureOf(one.command, "output") !== "constant")
    return "it ends as the last command of its pipe does, which always succeeds";
  if (one.command !== undefined) return unsupported(kind, asEvidence({ ...one, worth }));
  return worth === "hollow"
    ? "it is not among the lines whose words the submission adds"
    : "a line of text shows no behaviour";
}

/** It has to end as the verdict says, and to be able to end otherwise. */
function againstProbes(tried: readonly Probe[]): string[] {
  if (tried.length === 0) return ["no probe of its own: a command beyond the checks, with its exit status"];
  if (tried.some(({ worth, reproduced }) => worth !== "hollow" && reproduced !== undefined)) return [];
  return tried
    .slice(0, 1)
    .map(({ command, worth }) =>
      worth === "hollow"
        ? `probe: \`${oneLine(command, 120)}\` could not have ended otherwise`
        : `probe: \`${oneLine(command, 120)}\` did not end in its time`,
    );
}

/** A command without what does not change what it runs: spaces, variables before it, output that is sent away, spellings of npm. */
function plainCommand(command: string): string {
  return command
    .trim()
    .replaceAll(/\s+/g, " ")
    .replace(/^(?:(?:ba|da|z)?sh\s+-\w*c\s+)(['"])(.*)\1$/s, "$2")
    .replace(/^(?:cd\s+\.\/?\s*&&\s*|(?:env\s+)?\w+=\S*\s+)+/, "")
    .replaceAll(/\s*(?:\d?>&\d|\d?>>?\s*\/dev\/null|&>\s*\/dev\/null)/g, "")
    .replace(/\s+--$/, "")
    .replaceAll(/\bnpm (?:run-script|run) (?=test\b)|\bnpm (?:t|tst)\b/g, (found) =>
      found.endsWith(" ") ? "npm " : "npm test",
    )
    .trim();
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
    ...lacking(finding, known),
  }));
  return stableIds([...own, ...unsaid(verdict, known)], known.earlier).map((finding) =>
    holdsBack(finding, known) ? { ...finding, holds: true } : finding,
  );
}

/** Kept with the finding: a later run that lacks the same is no sign that a file of its Reviewer's is gone. */
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
function tellsFromBase({ worth, reproduced, evidence }: Finding): boolean {
  return worth === "shown" && reproduced === true && isCommand(evidence) && evidence.exitCode !== 0;
}

/** Grave findings of earlier verdicts whose command still ends as they say: nobody's later approval outvotes them. */
function stillThere(known: Known): Finding[] {
  return graveBefore(known.earlier).filter(({ lacks, evidence: { command = "", exitCode } }) => {
    const now = ranOn("branch", command, known);
    // A file of that Reviewer's own may be missing now: that says nothing, unless the same was missing then.
    const ran = known.branch.get(command);
    if (ran?.missing && (lacks === undefined || ran.lacks !== lacks)) return false;
    return now?.exitCode === exitCode;
  });
}

/** Those that are resolved as long as a new file is there that nothing names: a plugin, or a prop. */
function onlyByNewFiles(known: Known): Finding[] {
  const there = new Set(stillThere(known));
  return graveBefore(known.earlier).filter(
    (finding) =>
      !there.has(finding) &&
      known.unresolved?.get(finding.evidence.command ?? "")?.exitCode === finding.evidence.exitCode,
  );
}

function unresolvedIn(known: Known): { unresolved?: string[] } {
  const ids = [...new Set(onlyByNewFiles(known).map(({ id }) => id))];
  return ids.length > 0 ? { unresolved: ids } : {};
}

/** Each with each of its commands: that a later verdict calls it a note, or names another command, resolves nothing. */
function graveBefore(earlier: readonly Finding[]): Finding[] {
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

function isGrave({ severity }: Pick<Finding, "severity">): boolean {
  return severity === "blocker" || severity === "major";
}

function citesCheck({ criterion, evidence }: Finding, command: string): boolean {
  return criterion?.trim() === command || evidence.command?.trim() === command;
}
