/** Why a verdict does not count, in words for the next Reviewer. */
import { kindOf } from "../../issue/criterion-kind.ts";
import type { CriterionKind } from "../../issue/criterion-kind.ts";
import { oneLine } from "../../text/one-line.ts";
import { natureOf } from "../command-nature.ts";
import { isForPerson, needs, unsupported } from "../evidence.ts";
import type { Worth } from "../evidence.ts";
import type { Answer, Criterion, Finding, Probe } from "../verdict-schema.ts";
import { onlyByNewFiles, stillThere } from "./findings.ts";
import { checkCommand } from "./known.ts";
import type { Known, Weighed } from "./known.ts";
import { asEvidence } from "./looked-at.ts";
import type { Evidence, Looked } from "./looked-at.ts";

export function againstApproval(
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

export function againstRequest(findings: readonly Finding[]): string[] {
  return findings.some(({ holds }) => holds)
    ? []
    : [
        "nothing that it found holds back an approval: only a blocker or a major does that cites a criterion (by its number: `2`), a failed check (by its command) or a protected path",
      ];
}
