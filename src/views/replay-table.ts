/** The decisions of other thresholds on a terminal, relay by relay. */
import { plainLine } from "../core/text/sanitize.ts";
import type { BreakerPosition } from "../core/journal/event.ts";
import { positionWords } from "../core/reason/breaker-rows.ts";
import type { Choice, WhatIf } from "../core/tuning/what-if.ts";
import { tableLines } from "./table.ts";
import { named } from "../core/language/names.ts";
import { t } from "../core/language/translate.ts";

const pauses: Partial<Record<Choice, BreakerPosition>> = {
  open_breaker: "open",
  probe: "half_open",
  close_breaker: "closed",
};

function label(choice: Choice): string {
  const position = pauses[choice];
  return position ? positionWords[position]() : named(choice.replaceAll("_", " "));
}

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
