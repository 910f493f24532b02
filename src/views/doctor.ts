/** A diagnosis on a terminal: what is bad first, each finding with its fix below it; what is good on one line an area. */
import { areaOf, findingWords, fixOf } from "../core/doctor/doctor.ts";
import type { Finding } from "../core/doctor/finding.ts";
import type { Area } from "../core/doctor/row.ts";
import type { Advice } from "../core/error/hint-schema.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { counted } from "../core/language/counted.ts";
import { t, translatable, translated } from "../core/language/translate.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { padTo } from "./columns.ts";
import { hintWords } from "./hint.ts";
import { paint } from "./paint.ts";

/** `fixed`: what --fix has done; the findings are as they are after it. */
export type Diagnosis = { findings: readonly Finding[]; fixed: readonly Finding[] };
/** By issue, for the flags of its last run. */
export type States = ReadonlyMap<string, RelayState>;

const marks = translatable({ bad: "bad", note: "note", good: "good", fixed: "fixed" });
const markColumns = 7;
const areas: Readonly<Record<Area, string>> = translatable({
  machine: "machine",
  folders: "folders",
  agents: "agents",
  repository: "repository",
  relays: "relays",
});

export function renderDoctor({ findings, fixed }: Diagnosis, states: States): string {
  const of = (state: Finding["state"]): Finding[] => findings.filter((one) => one.state === state);
  const [bad, notes] = [of("bad"), of("note")];
  const lines = [
    ...fixed.map((one) => line("fixed", plainLine(findingWords(one), 600))),
    ...[...bad, ...notes].flatMap((one) => withFix(one, states)),
    ...goodLines(of("good")),
    "",
    bad.length === 0 && notes.length === 0
      ? t`nothing is wrong here`
      : t`${bad.length} bad, ${counted(notes.length, "note")}`,
  ];
  return `${lines.join("\n")}\n`;
}

function line(mark: keyof typeof marks, words: string): string {
  const tone = mark === "bad" ? "bad" : mark === "note" ? "bold" : "good";
  return `${paint(tone, padTo(translated(marks[mark]), markColumns))}${words}`;
}

function withFix(finding: Finding, states: States): string[] {
  const fix = fixWords(finding, states);
  const told = line(finding.state, plainLine(findingWords(finding), 600));
  return fix === "" ? [told] : [told, `${" ".repeat(markColumns)}${paint("dim", t`fix: ${fix}`)}`];
}

/** What to do about it, on one line. */
export function fixWords(finding: Finding, states: States): string {
  const fix: Advice = fixOf(finding) ?? "";
  const issue = "issue" in finding ? finding.issue : undefined;
  const state = issue === undefined ? {} : { ...states.get(issue), issue };
  return plainLine(typeof fix === "string" ? fix : hintWords(fix, state), 800);
}

function goodLines(good: readonly Finding[]): string[] {
  const known = [...new Set(good.map(areaOf))];
  return known.map((area) => {
    const words = good.filter((one) => areaOf(one) === area).map((one) => plainLine(findingWords(one)));
    return line("good", t`${translated(areas[area])}: ${words.join(", ")}`);
  });
}
