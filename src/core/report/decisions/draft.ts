/** A draft of a decision: the choice and its reason, before the event numbers and the settings' values are added. */
import type { Gauge } from "../limits-used.ts";
import type { Reason } from "../../reason/reason-schema.ts";

/** `note`: an addition to its sentence. A decision that only reports a message or a finding has no reason. */
export type Draft = {
  decision: string;
  numbers?: Gauge[];
  settings?: readonly string[];
} & ({ reason: Reason; note?: string } | { rule: string; because: string });
