/** Decisions of exit detection: the vote, and the facts that come before it. */
import { indicatorsMin } from "../../exit/detection.ts";
import type { EventOf } from "../../journal/event.ts";
import { t, translatable, translated } from "../../language/translate.ts";
import { becauseOf, settingsOf } from "../../reason/reason.ts";
import type { Draft } from "./draft.ts";

export function score(event: EventOf<"signal.scored">): Draft {
  return {
    decision: event.finished
      ? t`session ${event.session} looks finished`
      : t`session ${event.session} does not look finished`,
    reason: event.reason,
    numbers: [
      ...event.signals.map(({ name, present, weight, reason }) => ({
        what: t`${name} (weight ${weight}): ${becauseOf(reason)}`,
        value: present ? weight : 0,
        ...settingsOf(reason).map((setting) => ({ setting }))[0],
      })),
      { what: t`vote`, value: event.total, threshold: event.threshold, setting: "exit.threshold" },
      { what: t`completion indicators`, value: event.indicators, threshold: indicatorsMin },
      ...outright(event),
    ].map((one) => ({ ...one, also0: true as const })),
  };
}

const checkWords = translatable({
  passed: "checks passed",
  failed: "checks failed",
  not_run: "checks not run",
});

/** A fact that decides before the vote: 1 for a yes, 0 for a no, and "absent" if nothing was said. */
function outright({
  exitSignal,
  promise,
  facts,
  closing,
  refusalGone,
}: EventOf<"signal.scored">): { what: string; value: number }[] {
  const said = (what: string, yes: boolean | null | undefined) => ({
    what: yes === null || yes === undefined ? t`${what}: absent` : what,
    value: yes ? 1 : 0,
  });
  return [
    said("EXIT_SIGNAL", exitSignal),
    said(t`completion promise`, promise || null),
    said(t`closing answer: done`, closing?.done),
    ...(closing ? [{ what: t`closing answer: items remaining`, value: closing.remaining.length }] : []),
    said(t`refused submit whose reason has gone`, refusalGone === undefined ? null : true),
    ...(facts
      ? [
          { what: translated(checkWords[facts.checks]), value: facts.checks === "passed" ? 1 : 0 },
          { what: t`files changed since the last submission, else the base`, value: facts.changed },
        ]
      : []),
  ];
}
