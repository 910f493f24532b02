/** monoco stats: what the relays of this repository come to, by agent and role. */
import { MonocoError } from "../../core/error/error.ts";
import { statsOf } from "../../core/report/stats.ts";
import { judgesHere } from "../../app/agents.ts";
import { openHere } from "../../app/here.ts";
import { printJson } from "../../views/json.ts";
import { policyLines, statsLines } from "../../views/stats-table.ts";
import { sinceTime } from "../options.ts";
import { journalsHere } from "./journals.ts";
import { io } from "../../io/io.ts";
import { t } from "../../core/language/translate.ts";

export async function stats(flags: { since?: string; by?: string; json: boolean }): Promise<number> {
  const sinceMs = flags.since === undefined ? 0 : sinceTime(flags.since);
  if (flags.by !== undefined && flags.by !== "policy")
    throw new MonocoError("input", t`--by ${flags.by}: relays are not compared by that`, {
      hint: t`monoco stats --by policy; without it they are by agent and role`,
    });
  const { journals, code } = await journalsHere();
  const found = statsOf(
    journals.map(({ events }) => events),
    sinceMs,
  );
  const judges = judgesHere(await openHere());
  if (flags.json) printJson({ ...found, judges });
  else io().stdout.write(`${(flags.by ? policyLines(found) : statsLines(found, judges)).join("\n")}\n`);
  return code;
}
