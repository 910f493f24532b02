/** The reasons why a verdict does not count, with the commands that were run and their results on each tree. */
import type { Trial } from "../../trial/trial-schema.ts";
import { kindOf } from "../../issue/criterion-kind.ts";
import type { Margin } from "../../issue/criterion-kind.ts";
import { oneLine } from "../../text/one-line.ts";
import { isRun } from "../../trial/due.ts";
import type { Ended } from "../../trial/due.ts";
import type { Figures } from "../../trial/output.ts";
import { isRed } from "../red.ts";
import { isConstant, median } from "../evidence.ts";
import type { Answer, Criterion, Finding, Probe } from "../verdict-schema.ts";
import { onlyByNewFiles, stillThere } from "./findings.ts";
import { checkCommand } from "./known.ts";
import type { Known, Weighed } from "./known.ts";
import type { Evidence, Looked } from "./looked-at.ts";

export function againstApproval(
  { criteria, probes, findings, answers }: Omit<Weighed, "why">,
  known: Known,
): string[] {
  const red = known.checks.filter(isRed).map(({ command }) => command);
  const own = new Set([checkCommand, ...known.checks.map(({ command }) => command)].map(plainCommand));
  const tried = probes.filter(({ command }) => !own.has(plainCommand(command)));
  return [
    ...(red.length > 0 ? [`an approval with a failed check: ${red.join(", ")}`] : []),
    ...known.criteria.flatMap((text, index) => againstCriterion(text, index + 1, { criteria, known })),
    ...againstProbes(tried),
    ...probes.filter(({ reproduced }) => reproduced === false).map((probe) => differs("probe", probe)),
    ...findings
      .filter((finding) => contradicts(finding))
      .map(({ id, severity }) => `it approves over its own finding ${id} (${severity})`),
    ...unanswered(answers ?? [], known),
    ...stillThere(known).map(notResolved("")),
    // A confirmation asks no person: such findings count against it.
    ...(known.confirms ? onlyByNewFiles(known) : []).map(
      notResolved(" once the new files that nothing names are taken out"),
    ),
  ];
}

/**
 * Whether a finding contradicts its own Reviewer's approval: it holds back, is a blocker, or, above a note, cites a criterion
 * with a command that was green on the base and is red here.
 */
function contradicts({ holds, severity, criterion, worth, base, reproduced, evidence }: Finding): boolean {
  if (holds || severity === "blocker") return true;
  const broke = worth === "shown" && reproduced === true && base === 0 && evidence.exitCode !== 0;
  return severity !== "note" && criterion !== undefined && broke;
}

function notResolved(when: string): (finding: Finding) => string {
  return ({ id, title, evidence: { command = "", exitCode } }) =>
    `finding ${id} (${oneLine(title, 60)}) is not resolved: \`${oneLine(command, 120)}\` still ends with exit status ${exitCode}${when}`;
}

/**
 * The listed places without an answer. Unguarded work needs none if it is all in new files and the evidence guards each of its
 * changes: where a text is removed, a command that looks for it turns red as well when the change is taken back.
 */
function unanswered(answers: readonly Answer[], { listed = [], trial, changed }: Known): string[] {
  const answered = new Set(answers.map(({ id }) => id));
  const isNew = changed.every(({ role, before }) => role !== "source" || before === undefined);
  const isGuarded = isNew && trial !== undefined && guardsAll(trial.takeBack);
  return listed
    .filter(({ id, unguarded }) => !answered.has(id) && !(unguarded && isGuarded))
    .map(({ id, words }) => `${id} (${oneLine(words, 120)}) is listed and not answered`);
}

/** Whether every change could be taken back, and each time something turned red. */
function guardsAll({ result, changes, left }: Trial["takeBack"]): boolean {
  const isWhole = result === "tried" ? left === 0 : result === "no_checks" && changes.length >= left;
  return isWhole && changes.length > 0 && changes.every((one) => one.result === "guarded");
}

/** All evidence for a criterion has to hold: the weakest piece counts. */
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
    // Asked again, and still not verifiable: a person decides.
    if (one.text?.trim()) return known.asked ? [] : [`${name}: could not be verified`];
    return [`${name}: not verifiable, and no word why`];
  });
  const met = said.filter(({ result }) => result === "met");
  if (wrong.length > 0 || known.confirms || met.length === 0 || met.some((one) => one.supports)) return wrong;
  const { kind, guessed, margin } = kindOf(text);
  // The base is at fault, not the Reviewer: a person decides.
  if (known.baseTrouble === true && met.some(({ worth }) => worth === "unseen")) return [];
  if (!guessed && kind === "measured" && !margin) return [];
  if (met.some(({ ownRuler }) => ownRuler)) return [];
  return [`${name}: ${met.map((one) => whyNot(one, known)).join("; ")}`];
}

/** The commands, and their results on each tree. */
function whyNot(one: Criterion, known: Known): string {
  if (one.worth === undefined) return "no command and exit status, or file and line, is named";
  if (one.command === undefined) return `${one.file}:${one.line ?? "?"} ${lineWords(one)}`;
  const command = `\`${oneLine(one.command, 120)}\``;
  const { branch, base, words: withoutWork, names } = known.runs.get(one.command) ?? {};
  const seen = [
    ["the submission", branch ?? { exitCode: one.exitCode ?? 0 }],
    ["the base", base],
    ["the submission without its work", withoutWork],
    ["its names alone", names],
  ] as const;
  const ended = seen.flatMap(([where, ran]) => (ran === undefined ? [] : [`${statusOf(ran)} on ${where}`]));
  const { margin } = kindOf(known.criteria[one.criterion - 1] ?? "");
  const figures = known.figures.get(one.command);
  const words = margin && figures ? marginWords(margin, figures) : commandWords(one);
  return `${command} ended with ${ended.join(", ")}: ${words}`;
}

/** Both figures, and the margin that they miss. */
function marginWords({ percent, direction }: Margin, { branch, base }: Figures): string {
  const [now, then] = [branch, base].map((side) => (side.length === 0 ? "none" : median(side)));
  return `its median figure is ${now} on the submission and ${then} on the base, and at least ${percent} % ${direction} is asked for`;
}

const statusOf = (ran: Ended): string => (isRun(ran) ? String(ran.exitCode) : "no status");

const lineWords = ({ worth }: Criterion): string =>
  worth === "hollow"
    ? "is not among the lines whose words the submission adds"
    : "is a line of text, which does not show this";

function commandWords({ command = "", worth, emptied, exitCode, text }: Criterion): string {
  if (worth === "hollow")
    return isConstant(command) ? "it could not have ended otherwise" : "its filter matched no test";
  if (worth === "unseen") return "it did not end in its time, or was not run";
  if (worth === "as_before") return "it ends the same on the base";
  const faults = {
    same: "it shows that something is there, and not that it works",
    text: "it reads the text of the work: a comment that says nothing changes how it ends",
    data: "it notices only what is neither a source nor a test",
    unused: "it notices only a new file that nothing names",
    elsewhere:
      "it ends otherwise in another folder and without a runner's variables: the code may know that it is tested",
    words: "it reads text",
    tests: "it notices only tests",
    differs: undefined,
    not_tried: undefined,
  }[emptied ?? "differs"];
  if (faults !== undefined) return faults;
  if (exitCode !== 0 && !text?.trim()) return `no text says that exit status ${exitCode} was expected`;
  return "it does not show this criterion";
}

/** A probe has to end as the verdict says, and must be able to end otherwise. */
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

/** A command in plain form: without extra spaces, a shell around it, redirected output, and spelling variants of npm. */
function plainCommand(command: string): string {
  return command
    .trim()
    .replaceAll(/\s+/g, " ")
    .replace(/^(?:(?:ba|da|z)?sh\s+-\w*c\s+)(['"])(.*)\1$/s, "$2")
    .replace(/^cd\s+\.\/?\s*&&\s*/, "")
    .replaceAll(/\s*(?:\d?>&\d|\d?>>?\s*\/dev\/null|&>\s*\/dev\/null)/g, "")
    .replace(/\s+--$/, "")
    .replaceAll(/\bnpm (?:run-script|run) (?=test\b)|\bnpm (?:t|tst)\b/g, (match) =>
      match.endsWith(" ") ? "npm " : "npm test",
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
        "nothing that it found holds back an approval: only a blocker or a major does that names the number of the criterion that it breaks, a failed check (as its command) or a protected path (as its file), or whose command fails here and not on the base",
      ];
}
