/** A relay's decisions in words: each decision, its reason and numbers, and the settings that would change it. */
import { momentOf } from "../core/text/figures.ts";
import type { Decision } from "../core/report/explain.ts";
import type { Gauge } from "../core/report/limits-used.ts";
import { eventCharsMax } from "../core/limits.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { t } from "../core/language/translate.ts";
import { inWords } from "../core/settings/change.ts";

/** One decision: a line that names it, and an indented line for each reason, number and setting. */
export function explanationLines(decision: Decision): string[] {
  const { seq, atMs, numbers, settings } = decision;
  const said = plainLine(decision.because, eventCharsMax);
  return [
    `${String(seq).padStart(4)}  ${momentOf(atMs)}  ${plainLine(decision.decision)}`,
    ...(said === "" ? [] : [`      ${t`because  ${said}`}`]),
    ...numbers.filter(isTelling).map((one) => `      ${t`number   ${numberWords(one)}`}`),
    ...settings.map(
      ({ key, value, origin }) => `      ${t`setting  ${key}: ${inWords(value)} (${plainLine(origin)})`}`,
    ),
  ];
}

/** Hides a count of zero. */
function isTelling({ value, setting, also0 }: Gauge): boolean {
  return value > 0 || also0 === true || setting === "limits.sessionsMax";
}

function numberWords({ what, value, threshold, setting }: Gauge): string {
  const count = threshold === undefined ? String(value) : t`${value} of ${threshold}`;
  return t`${plainLine(what)}: ${count}${setting === undefined ? "" : t` (${setting})`}`;
}
