/** What other thresholds would have decided, as a terminal shows it: relay by relay, then policy beside policy. */
import type { Score } from "../core/tuning/judge-policy.ts";
import type { Label } from "../core/tuning/labels.ts";
import { plainLine } from "../core/text/sanitize.ts";
import type { WhatIf } from "../core/tuning/what-if.ts";
import { tableLines } from "./table.ts";
import { named } from "../core/language/names.ts";
import { t } from "../core/language/translate.ts";

/** One relay: what was recorded, and what each policy would have done. */
export type ReplayedRelay = {
  issue: string;
  labels: readonly Label[];
  policies: readonly { name: string; whatIf: WhatIf }[];
};

const words = (name: string): string => named(name.replaceAll("_", " "));

export function relayLines({ issue, labels, policies }: ReplayedRelay): string[] {
  const rows = (policies[0]?.whatIf.compared ?? []).map((one, index) => [
    t`after session ${one.session}`,
    words(one.recorded),
    ...policies.map(({ whatIf }) => words(whatIf.compared[index]!.would)),
  ]);
  const differing = policies.flatMap(({ name, whatIf: { differs } }) =>
    differs
      ? [
          `  ${t`${name}: ${words(differs.would)} after session ${differs.session}, because ${plainLine(differs.because)}`}`,
        ]
      : [],
  );
  return [
    issue,
    ...(rows.length === 0
      ? [`  ${t`nothing was decided by a threshold`}`]
      : tableLines([["", t`recorded`, ...policies.map(({ name }) => name)], ...rows]).map(
          (line) => `  ${line}`,
        )),
    ...differing,
    ...labels.map(
      ({ session, truth, source }) => `  ${t`session ${session} was ${words(truth)} (${words(source)})`}`,
    ),
    "",
  ];
}

/** Each policy a column; `recorded` is what happened. */
export function scoreLines(scores: readonly { name: string; score: Score }[]): string[] {
  const row = (title: string, value: (score: Score) => string | number): string[] => [
    title,
    ...scores.map(({ score }) => String(value(score))),
  ];
  return tableLines([
    ["", ...scores.map(({ name }) => name)],
    row(t`relays`, (score) => score.relays),
    row(t`decided otherwise in`, (score) => score.differing),
    row(t`labels right`, (score) => score.labels.right),
    row(`  ${t`too early`}`, (score) => score.labels.too_early),
    row(`  ${t`too late`}`, (score) => score.labels.too_late),
    row(`  ${t`unknown`}`, (score) => score.labels.unknown),
    row(t`premature exits`, (score) => score.prematureExits),
    row(t`sessions for certain`, (score) => score.sessions),
    row(`  ${t`wasted`}`, (score) => score.wastedSessions),
    row(`  ${t`cost`}`, (score) => `$${score.costUsd.toFixed(2)}`),
  ]);
}
