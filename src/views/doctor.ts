/** A diagnosis on a terminal: faults first, each with its fix; healthy areas on one line each. */
import type { Finding } from "../core/doctor/finding.ts";
import { rowOf } from "../core/doctor/rows.ts";
import type { Area } from "../core/doctor/rows.ts";
import { counted } from "../core/language/counted.ts";
import { t, translatable, translated } from "../core/language/translate.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { padTo } from "./columns.ts";
import { hintWords } from "./hint.ts";
import { paint } from "./paint.ts";

/** `fixed` are the findings that --fix has fixed; `findings` are those left after it. */
type Diagnosis = { findings: readonly Finding[]; fixed: readonly Finding[] };

const marks = translatable({ bad: "bad", note: "note", good: "good", fixed: "fixed" });
const markColumns = 7;
const areas: Readonly<Record<Area, string>> = translatable({
  machine: "machine",
  folders: "folders",
  agents: "agents",
  repository: "repository",
  relays: "relays",
});

export function renderDoctor({ findings, fixed }: Diagnosis): string {
  const of = (state: Finding["state"]): Finding[] => findings.filter((one) => one.state === state);
  const [bad, notes] = [of("bad"), of("note")];
  const lines = [
    ...fixed.map((one) => line("fixed", wordsOf(one))),
    ...[...bad, ...notes].flatMap(withFix),
    ...goodLines(of("good")),
    "",
    bad.length === 0 && notes.length === 0
      ? t`nothing is wrong here`
      : t`${bad.length} bad, ${counted(notes.length, "note")}`,
  ];
  return `${lines.join("\n")}\n`;
}

function line(mark: keyof typeof marks, text: string): string {
  const tone = mark === "bad" ? "bad" : mark === "note" ? "bold" : "good";
  return `${paint(tone, padTo(translated(marks[mark]), markColumns))}${text}`;
}

function withFix(finding: Finding): string[] {
  const fix = fixWords(finding);
  const first = line(finding.state, wordsOf(finding));
  return fix === "" ? [first] : [first, `${" ".repeat(markColumns)}${paint("dim", t`fix: ${fix}`)}`];
}

/** The fix of a finding, on one line. */
export function fixWords(finding: Finding): string {
  const { fix = "" } = rowOf(finding);
  const subject = "issue" in finding ? { issue: finding.issue } : {};
  return plainLine(typeof fix === "string" ? fix : hintWords(fix, subject), 800);
}

function goodLines(good: readonly Finding[]): string[] {
  const byArea = Map.groupBy(good, (one) => rowOf(one).area);
  return [...byArea].map(([area, ones]) =>
    line("good", t`${translated(area ? areas[area] : "")}: ${ones.map(wordsOf).join(", ")}`),
  );
}

const wordsOf = (finding: Finding): string => plainLine(rowOf(finding).words, 600);
