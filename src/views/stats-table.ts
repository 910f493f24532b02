/** The figures of many relays on a terminal. */
import { plainLine } from "../core/text/sanitize.ts";
import { seconds, timeOf } from "../core/text/figures.ts";
import { rateWords } from "../core/report/escapes.ts";
import type { Rate } from "../core/report/escapes.ts";
import type { Figures, Stats } from "../core/report/stats.ts";
import { named } from "../core/language/names.ts";
import { t } from "../core/language/translate.ts";
import { padTo } from "./columns.ts";

export function statsLines(stats: Stats): string[] {
  const { relays, breakerTrips, all, by } = stats;
  const since = stats.since === null ? null : timeOf(Date.parse(stats.since));
  if (all.sessions === 0) return [since === null ? t`no sessions yet` : t`no sessions since ${since}`];
  return [
    t`${since === null ? "" : t`since ${since}: `}${relayWords(relays)}; paused after failing sessions: ${breakerTrips}`,
    ...(stats.escapes.merges === 0 ? [] : [rateWords(stats.escapes)]),
    "",
    ...figureLines(t`all sessions`, all),
    ...by.flatMap((one) => ["", ...figureLines(t`${named(one.role)} by ${one.agent}`, one)]),
  ];
}

/** A relay succeeds when it is merged. */
function relayWords({ known, merged, left }: Stats["relays"]): string {
  const rate = known === 0 ? "" : t` (${share(merged, known)})`;
  return t`relays ${known}: merged ${merged}${rate}${left === 0 ? "" : t`, left on their branches ${left}`}`;
}

function share(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)} %`;
}

function figureLines(title: string, figures: Figures & { escapes?: Rate }): string[] {
  const { sessions, counted, advanced, meanDurationMs, handoffs, escapes } = figures;
  const written = handoffs.agent + handoffs.completed;
  return [
    t`${plainLine(title)}: ${sessions}`,
    figureLine(
      t`advanced`,
      counted === 0 ? t`none counted` : t`${advanced} of ${counted} (${share(advanced, counted)})`,
    ),
    ...(meanDurationMs === null ? [] : [figureLine(t`mean duration`, seconds(meanDurationMs))]),
    figureLine(t`ended by`, reasonWords(figures)),
    figureLine(
      t`handoffs`,
      t`${written} written (${handoffs.completed} completed by monoco), ${handoffs.generated} generated`,
    ),
    figureLine(t`cost`, costWords(figures)),
    ...(escapes && escapes.merges > 0 ? [figureLine(t`approvals`, rateWords(escapes))] : []),
  ];
}

function figureLine(title: string, value: string): string {
  return `  ${padTo(title, 14)} ${value}`;
}

function reasonWords({ reasons }: Figures): string {
  const parts = Object.entries(reasons).map(([reason, times]) => `${named(reason)} ${times}`);
  return parts.join(t`, `) || t`nothing yet`;
}

function costWords({ costUsd, costKnown, sessions }: Figures): string {
  return costKnown === 0
    ? t`not reported`
    : t`${`$${costUsd.toFixed(2)}`} (reported by ${costKnown} of ${sessions})`;
}
