/** A fleet in lines, as `monoco fleet status` prints it, and watch and the dashboard show it. */
import type { FleetSeen } from "../../app/fleet/follow.ts";
import type { FleetReport } from "../../app/fleet/status.ts";
import { counted } from "../../core/language/counted.ts";
import { agoWords } from "../../core/text/figures.ts";
import { plain, plainLine } from "../../core/text/sanitize.ts";
import { t } from "../../core/language/translate.ts";
import { tableLines } from "../../views/table.ts";
import type { Cell } from "../../views/table.ts";

export function fleetLines({ database, workers, claims, free }: FleetReport, nowMs: number): string[] {
  const ago = (time: string): string => agoWords(nowMs - Date.parse(time));
  const place = ({ host, pid }: { host: string; pid: number }): string =>
    t`${plainLine(host, 80)}, process ${pid}`;
  const rows = [
    ...workers.map((one): Cell[] => [
      { text: t`worker`, tone: "bold" },
      place(one),
      one.live ? t`for ${ago(one.since)}` : { text: t`not heard of for ${ago(one.heard)}`, tone: "bad" },
    ]),
    ...claims.map((one): Cell[] => [
      { text: plainLine(one.key, 80), tone: "bold" },
      place(one),
      t`for ${ago(one.since)}`,
    ]),
  ];
  const live = workers.filter((one) => one.live).length;
  return [
    t`${plainLine(database, 200)}: ${counted(live, "worker")}, ${counted(claims.length, "claim")}, ${counted(free.length, "issue")} that nobody has`,
    ...tableLines(rows),
    ...(free.length > 0 ? [t`nobody has: ${free.slice(0, 20).join(", ")}`] : []),
  ];
}

/** The lines of a view: none without a database, and one for a database that cannot be used. */
export function fleetSaid(fleet: FleetSeen | undefined, nowMs: number): string[] {
  if (fleet === undefined) return [];
  return typeof fleet === "string" ? [plainLine(fleet, 400)] : fleetLines(fleet, nowMs).map(plain);
}
