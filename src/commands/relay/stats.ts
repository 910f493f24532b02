/** monoco stats: the figures of this repository's relays, by agent and role. */
import { statsOf } from "../../core/report/stats.ts";
import { printJson } from "../../views/json.ts";
import { statsLines } from "../../views/stats-table.ts";
import { sinceTime } from "../options.ts";
import { journalsHere } from "./journals.ts";
import { io } from "../../io/io.ts";

export async function stats(flags: { since?: string; json: boolean }): Promise<number> {
  const sinceMs = flags.since === undefined ? 0 : sinceTime(flags.since);
  const { journals, code } = await journalsHere();
  const figures = statsOf(
    journals.map(({ events }) => events),
    sinceMs,
  );
  if (flags.json) printJson(figures);
  else io().stdout.write(`${statsLines(figures).join("\n")}\n`);
  return code;
}
