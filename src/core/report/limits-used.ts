/** The counts that limit a relay, each with its threshold and its setting. */
import { breakerCounts } from "../relay/breaker.ts";
import type { RelayState } from "../journal/relay-state.ts";
import { redRounds, redRoundsMax, reviewRounds, uncharged } from "../journal/counts.ts";
import { t } from "../language/translate.ts";

export type Gauge = {
  what: string;
  value: number;
  threshold?: number;
  setting?: string;
  /** Whether it is shown at 0, too: an absent signal is worth knowing. */
  also0?: true;
};

/** The counts between sessions; none before a relay is open. */
export function gauges({ opening }: RelayState): Gauge[] {
  if (!opening) return [];
  const { limits, breaker } = opening.settings;
  const spent = opening.sinceResume.sessions.filter((session) => !uncharged(session)).length;
  const { stalled, sameError, denied, outputDeclinePercent } = breakerCounts(opening);
  return [
    { what: t`sessions spent`, value: spent, threshold: limits.sessionsMax, setting: "limits.sessionsMax" },
    {
      what: t`sessions in a row without progress`,
      value: stalled,
      threshold: limits.stalledMax,
      setting: "limits.stalledMax",
    },
    {
      what: t`sessions in a row with the same error`,
      value: sameError,
      threshold: breaker.sameErrorMax,
      setting: "breaker.sameErrorMax",
    },
    {
      what: t`sessions in a row that were denied tools`,
      value: denied,
      threshold: breaker.deniedMax,
      setting: "breaker.deniedMax",
    },
    ...(outputDeclinePercent === undefined
      ? []
      : [
          {
            what: t`fall of the output, percent`,
            value: outputDeclinePercent,
            threshold: breaker.outputDeclinePercent,
            setting: "breaker.outputDeclinePercent",
          },
        ]),
    {
      what: t`submissions in a row with red checks`,
      value: redRounds(opening),
      threshold: redRoundsMax(limits, breaker),
      setting: "limits.redRoundsMax",
    },
    {
      what: t`rounds of requested changes`,
      value: reviewRounds(opening),
      threshold: limits.reviewRoundsMax,
      setting: "limits.reviewRoundsMax",
    },
  ];
}
