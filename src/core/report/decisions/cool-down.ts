/** The numbers of a breaker's cool-down in a decision. */
import type { EventOf } from "../../journal/event.ts";
import type { RelayState } from "../../journal/relay-state.ts";
import { t } from "../../language/translate.ts";
import type { Gauge } from "../limits-used.ts";

/** The cool-down that a breaker's change puts in force, and the failed probes before it. */
export function coolDown(
  { opening }: RelayState,
  { coolDownMs, failedProbes = 0 }: EventOf<"breaker.changed">,
): Gauge[] {
  if (coolDownMs === undefined || !opening) return [];
  const probes = {
    what: t`sessions in a row that failed after a pause`,
    value: failedProbes,
    threshold: opening.settings.breaker.probesMax,
    setting: "breaker.probesMax",
  };
  return [{ what: t`pause, minutes`, value: coolDownMs / 60_000 }, ...(failedProbes > 0 ? [probes] : [])];
}
