/** monoco stats: the figures of this repository's relays, by agent and role. */
import { statsOf } from "../../core/report/stats.ts";
import { printJson } from "../../views/json.ts";
import { statsLines } from "../../views/stats-table.ts";
import { mergesHere } from "../../app/overview/escapes-here.ts";
import { sinceTime } from "../options.ts";
import { journalsHere } from "./journals.ts";
import { io } from "../../io/io.ts";

export async function stats(flags: { since?: string; json: boolean }): Promise<number> {
  const sinceMs = flags.since === undefined ? 0 : sinceTime(flags.since);
  const { here, journals, code } = await journalsHere();
  const events = journals.map((one) => one.events);
  const figures = statsOf(events, sinceMs, await mergesHere(here, events));
  if (flags.json) printJson(figures);
  else io().stdout.write(`${statsLines(figures).join("\n")}\n`);
  return code;
}
