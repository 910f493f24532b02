/** The decisions of other thresholds on a terminal, relay by relay. */
import { plainLine } from "../core/text/sanitize.ts";
import type { WhatIf } from "../core/tuning/what-if.ts";
import { tableLines } from "./table.ts";
import { named } from "../core/language/names.ts";
import { t } from "../core/language/translate.ts";

const label = (name: string): string => named(name.replaceAll("_", " "));

/** One relay: the recorded decisions next to those of `policy`, a file's name. */
export function relayLines(issue: string, policy: string, { compared, differs }: WhatIf): string[] {
  const rows = compared.map(({ session, recorded, would }) => [
    t`after session ${session}`,
    label(recorded),
    label(would),
  ]);
  const table = tableLines([["", t`recorded`, policy], ...rows]);
  const differing = differs
    ? [
        t`${policy}: ${label(differs.would)} after session ${differs.session}, because ${plainLine(differs.because)}`,
      ]
    : [];
  const lines = [...(rows.length === 0 ? [t`nothing was decided by a threshold`] : table), ...differing];
  return [issue, ...lines.map((line) => `  ${line}`), ""];
}
