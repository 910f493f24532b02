/** The figures of many relays as a terminal shows them. */
import { plainLine } from "../core/text/sanitize.ts";
import { seconds } from "../core/text/figures.ts";
import { judgeWords } from "../core/report/judge-figures.ts";
import type { JudgeFigures } from "../core/report/judge-figures.ts";
import type { Figures, Interval, Stats } from "../core/report/stats.ts";
import { t } from "../core/language/translate.ts";

/** n is the number of relays; intervals that overlap say that the difference may be chance. */
export function policyLines({ byPolicy }: Stats): string[] {
  if (byPolicy.length === 0) return [t`no relays yet`];
  return byPolicy.flatMap(({ policy, relays, merged, mergedBetween, advancedBetween, ...figures }, index) => [
    ...(index > 0 ? [""] : []),
    `${policy ?? t`no policy file`}: n = ${relays}, merged ${merged}, ${between(mergedBetween)}`,
    ...figureLines("  sessions", figures, `, ${between(advancedBetween)}`),
  ]);
}

/** `judges`: what is known of Reviewers, by their names. */
export function statsLines(stats: Stats, judges: Readonly<Record<string, JudgeFigures>> = {}): string[] {
  const { relays, breakerTrips, all, by, since } = stats;
  if (all.sessions === 0) return [since === null ? t`no sessions yet` : t`no sessions since ${since}`];
  return [
    t`${since === null ? "" : `since ${since}: `}${relayWords(relays)}; breaker trips ${breakerTrips}`,
    "",
    ...figureLines(t`all sessions`, all),
    ...by.flatMap((one) => {
      const judge = one.role === "reviewer" ? judges[one.agent] : undefined;
      const judged = judge ? [`  as a judge     ${judgeWords(judge)}`] : [];
      return ["", ...figureLines(`${one.role} by ${one.agent}`, one), ...judged];
    }),
  ];
}

/** Success is merged. */
function relayWords({ known, merged, left }: Stats["relays"]): string {
  const rate = known === 0 ? "" : ` (${share(merged, known)})`;
  return `relays ${known}: merged ${merged}${rate}${left === 0 ? "" : t`, left on their branches ${left}`}`;
}

function share(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)} %`;
}

export function between([low, high]: Interval): string {
  return `95 % interval ${Math.round(low * 100)}–${Math.round(high * 100)} %`;
}

function figureLines(title: string, figures: Figures, interval = ""): string[] {
  const { sessions, counted, advanced, meanDurationMs, handoffs } = figures;
  const written = handoffs.agent + handoffs.completed;
  return [
    `${plainLine(title)}: ${sessions}`,
    `  advanced       ${counted === 0 ? t`none counted` : `${advanced} of ${counted} (${share(advanced, counted)})${interval}`}`,
    ...(meanDurationMs === null ? [] : [t`  mean duration  ${seconds(meanDurationMs)}`]),
    t`  ended by       ${reasonWords(figures)}`,
    t`  handoffs       ${written} written (${handoffs.completed} completed by monoco), ${handoffs.generated} generated`,
    `  cost           ${costWords(figures)}`,
  ];
}

function reasonWords({ reasons }: Figures): string {
  const words = Object.entries(reasons).map(([reason, times]) => `${reason} ${times}`);
  return words.join(", ") || t`nothing yet`;
}

function costWords({ costUsd, costKnown, sessions }: Figures): string {
  return costKnown === 0 ? t`not told` : t`$${costUsd.toFixed(2)} (told by ${costKnown} of ${sessions})`;
}
