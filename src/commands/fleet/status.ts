/** monoco fleet status: who works on what in the fleet of this repository. */
import { fleetReport } from "../../app/fleet/status.ts";
import { openHere } from "../../app/here.ts";
import { loadSettings } from "../../app/settings.ts";
import { io } from "../../io/io.ts";
import { systemClock } from "../../relay/clock.ts";
import { fleetLines } from "./lines.ts";
import { printJson } from "../../views/json.ts";

export async function status(flags: { database?: string; json: boolean }): Promise<number> {
  const here = await openHere();
  const { base } = loadSettings(here);
  const report = await fleetReport(here, { base, url: flags.database });
  if (flags.json) printJson(report);
  else for (const line of fleetLines(report, systemClock.nowMs())) io().stdout.write(`${line}\n`);
  return 0;
}
