/** Bounds the size of a verdict, which goes into the journal, prompts, handoffs and the dossier. */
import { verdictCriteriaMax, verdictItemsMax, verdictTextCharsMax, verdictTitleCharsMax } from "../limits.ts";
import { severities } from "./verdict-schema.ts";
import type { Verdict } from "./verdict-schema.ts";
import { t } from "../language/translate.ts";

/** The verdict with its gravest findings, a count of the rest, and texts cut. A verdict that fits is unchanged. */
export function boundVerdict(verdict: Verdict): Verdict {
  const { findings, criteria, probes, answers, summary } = verdict;
  const left = findings.length - verdictItemsMax;
  const said = [
    ...(summary === undefined ? [] : [short(summary)]),
    ...(left > 0 ? [t`… and ${left} more findings`] : []),
  ];
  return {
    ...verdict,
    findings: (left > 0 ? gravestFirst(findings).slice(0, verdictItemsMax) : findings).map((finding) => ({
      ...finding,
      id: short(finding.id, verdictTitleCharsMax),
      title: short(finding.title, verdictTitleCharsMax),
      evidence: { ...finding.evidence, text: short(finding.evidence.text) },
    })),
    criteria: criteria
      .slice(0, verdictCriteriaMax)
      .map((one) => (one.text === undefined ? one : { ...one, text: short(one.text) })),
    probes: probes
      .slice(0, verdictItemsMax)
      .map((one) => (one.text === undefined ? one : { ...one, text: short(one.text) })),
    ...(answers && {
      answers: answers.slice(0, verdictCriteriaMax).map(({ id, text }) => ({
        id: short(id, verdictTitleCharsMax),
        text: short(text),
      })),
    }),
    ...(said.length > 0 ? { summary: said.join("\n") } : {}),
  };
}

function gravestFirst(findings: Verdict["findings"]): Verdict["findings"] {
  return findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}

function short(text: string, charsMax = verdictTextCharsMax): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text;
}
