/** The report of a relay as people are told it: its hint spelled as the commands that they type. */
import { reportOf } from "../core/report/report.ts";
import type { RelayReport } from "../core/report/report.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { hintWords } from "./hint.ts";

export type Telling = Omit<RelayReport, "hint"> & { hint: string };

export function tellingOf(state: RelayState, now: Parameters<typeof reportOf>[1]): Telling {
  const report = reportOf(state, now);
  return { ...report, hint: hintWords(report.hint, state) };
}
