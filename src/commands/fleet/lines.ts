/** What `monoco fleet status` prints. */
import type { FleetReport } from "../../app/fleet/status.ts";
import { agoWords } from "../../core/text/figures.ts";
import { plainLine } from "../../core/text/sanitize.ts";
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
    t`${plainLine(database, 200)}: ${live} workers, ${claims.length} claims, ${free.length} issues that nobody has`,
    ...tableLines(rows),
    ...(free.length > 0 ? [t`nobody has: ${free.slice(0, 20).join(", ")}`] : []),
  ];
}
