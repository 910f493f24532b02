/** A relay's decisions in words: what was decided, by which rule and numbers, and what would change it. */
import type { Decision } from "../core/report/explain.ts";
import type { Gauge } from "../core/report/limits-used.ts";
import { eventCharsMax } from "../core/limits.ts";
import { plainLine } from "../core/text/sanitize.ts";
import { t } from "../core/language/translate.ts";
import { inWords } from "../core/settings/change.ts";

/** One decision: a line that says what, and an indented one for each of why, numbers and settings. */
export function explanationLines(decision: Decision): string[] {
  const { seq, atMs, numbers, settings, rule } = decision;
  const said = plainLine(decision.because, eventCharsMax);
  return [
    `${String(seq).padStart(4)}  ${new Date(atMs).toISOString()}  ${plainLine(decision.decision)}`,
    ...(said === "" ? [] : [`      ${t`because  ${said}`}  [${rule}]`]),
    ...numbers.filter(isTelling).map((one) => `      ${t`number   ${numberWords(one)}`}`),
    ...settings.map(
      ({ key, value, origin }) => `      ${t`setting  ${key}: ${inWords(value)} (${plainLine(origin)})`}`,
    ),
  ];
}

/** A count of nothing says nothing. */
function isTelling({ value, setting, also0 }: Gauge): boolean {
  return value > 0 || also0 === true || setting === "limits.sessionsMax";
}

function numberWords({ what, value, threshold, setting }: Gauge): string {
  const count = threshold === undefined ? String(value) : t`${value} of ${threshold}`;
  return t`${plainLine(what)}: ${count}${setting === undefined ? "" : t` (${setting})`}`;
}
