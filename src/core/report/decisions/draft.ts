/** A decision in the making: what was decided and why, before the journal's numbering and the settings' values are added. */
import type { Gauge } from "../limits-used.ts";
import type { Reason } from "../../reason/reason-schema.ts";

/** `note`: what its sentence is followed by. A decision that only tells what somebody said or found has no reason. */
export type Draft = {
  decision: string;
  numbers?: Gauge[];
  settings?: readonly string[];
} & ({ reason: Reason; note?: string } | { rule: string; because: string });
