/** A weekend of 40 issues on 1, 2 or 4 workers, by each queue: its time next to the ideal, and what it pushes. Fails if an issue is merged twice or not at all. */
import { loadavg } from "node:os";
import { hasPostgres, newServer } from "../../test/support/postgres.ts";
import { backlogOf } from "../fleet/backlog.ts";
import type { Planned } from "../fleet/backlog.ts";
import { adapters, faultsOf, idealOf, overheadOf, playWeekend } from "../fleet/weekend.ts";
import type { Adapter, Weekend } from "../fleet/weekend.ts";
import { quantile } from "../fleet/waits.ts";
import type { Bench } from "./playground.ts";
import { rowOf } from "./table.ts";
import type { Row } from "./table.ts";

/** What a session of a short issue takes at least. */
const seconds = 2;

export const weekend =
  (workers: number) =>
  async ({ scale }: Bench): Promise<Row[]> => {
    const server = newServer();
    if (hasPostgres) await server.begin();
    const play = async (adapter: Adapter, of: { backlog: Planned[]; workers: number }): Promise<Weekend> => {
      const database = adapter === "pg-boss" ? await server.database() : "";
      const played = await playWeekend(of.backlog, { adapter, workers: of.workers, database });
      try {
        const faults = faultsOf(of.backlog, played);
        if (faults.length > 0) throw new Error(`${adapter}, ${of.workers}: ${faults.join("; ")}`);
        return played;
      } finally {
        played.fleet.dispose();
      }
    };
    try {
      const rows: Row[] = [];
      for (const adapter of adapters) {
        if (adapter === "pg-boss" && !hasPostgres) continue;
        // Issues that wait for nothing, on one worker: what is left besides the agents' time is monoco's.
        const alone = await play(adapter, { backlog: backlogOf(4, 1), workers: 1 });
        const backlog = backlogOf(Math.max(8, Math.round(40 * scale)), seconds);
        const played = await play(adapter, { backlog, workers });
        rows.push(...rowsOf(played, { backlog, overhead: overheadOf(alone) }));
      }
      return rows;
    } finally {
      await server.dispose();
    }
  };

function rowsOf(played: Weekend, { backlog, overhead }: { backlog: Planned[]; overhead: number }): Row[] {
  const { adapter, workers, waits, pushes, sessions } = played;
  const name = `${backlog.length} issues, ${adapter}, ${workers} worker${workers > 1 ? "s" : ""}`;
  const ideal = idealOf(backlog, played, overhead);
  const load = loadavg()[0]!.toFixed(1);
  return [
    rowOf(`${name} (load ${load})`, "s", [played.seconds], {
      beside: `the ideal with ${overhead.toFixed(2)} s a session`,
      nextTo: [ideal],
      aimOfRatio: 1.3,
    }),
    rowOf("… beside the agents' time alone", "s", [played.seconds], {
      beside: "the ideal of it",
      nextTo: [idealOf(backlog, played, 0)],
    }),
    rowOf("… ready to session started, p50", "ms", [quantile(waits, 0.5)]),
    rowOf("… ready to session started, p99", "ms", [quantile(waits, 0.99)]),
    ...(adapter === "local" ? [] : [rowOf("… pushes a session", "", [pushes.length / sessions.length])]),
  ];
}
