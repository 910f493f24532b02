/** A weekend of 40 issues on 1, 2 or 4 workers, by each queue: its time next to the ideal, and what it pushes. Fails if an issue is merged twice or not at all. */
import { loadavg } from "node:os";
import { hasPostgres, newServer } from "../../test/support/postgres.ts";
import { backlogOf } from "../fleet/backlog.ts";
import type { Planned } from "../fleet/backlog.ts";
import { adapters, faultsOf, idealOf, overheadOf, playWeekend } from "../fleet/weekend.ts";
import type { Adapter, Weekend } from "../fleet/weekend.ts";
import { quantile } from "../fleet/waits.ts";
import { issueName } from "./project.ts";
import type { Bench } from "./playground.ts";
import { rowOf } from "./table.ts";
import type { Row } from "./table.ts";

/** What a session of a short issue takes at least. */
const seconds = 2;

export const weekend =
  (workers: number) =>
  ({ scale }: Bench): Promise<Row[]> =>
    byQueues(adapters, async (play) => {
      // Issues that wait for nothing, on one worker: what is left besides the agents' time is monoco's.
      const alone = await play(backlogOf(4, 1), 1);
      const backlog = backlogOf(Math.max(8, Math.round(40 * scale)), seconds);
      return rowsOf(await play(backlog, workers), { backlog, overhead: overheadOf(alone) });
    });

/** As many issues as workers, all ready at once: how long each waits for its first session, from the start of the workers on. */
export const crowd = (workers: number) => (): Promise<Row[]> =>
  byQueues(["lease", "pg-boss"], async (play) => {
    const backlog = Array.from({ length: workers }, (_, at): Planned => ({
      id: issueName(at + 1),
      kind: "short",
      needs: [],
      seconds,
    }));
    const { adapter, waits } = await play(backlog, workers);
    return waitRows(`${adapter}, ${workers} workers and issues`, waits);
  });

type Play = (backlog: Planned[], workers: number) => Promise<Weekend>;

async function byQueues(queues: readonly Adapter[], rowsBy: (play: Play) => Promise<Row[]>): Promise<Row[]> {
  const server = newServer();
  if (hasPostgres) await server.begin();
  const rows: Row[] = [];
  try {
    for (const adapter of queues) {
      if (adapter === "pg-boss" && !hasPostgres) continue;
      const play: Play = async (backlog, workers) => {
        const database = adapter === "pg-boss" ? await server.database() : "";
        const played = await playWeekend(backlog, { adapter, workers, database });
        try {
          const faults = faultsOf(backlog, played);
          if (faults.length > 0) throw new Error(`${adapter}, ${workers}: ${faults.join("; ")}`);
          return played;
        } finally {
          played.fleet.dispose();
        }
      };
      const more = await rowsBy(play);
      rows.push(...more);
      // Each of them took minutes, and a fault of the next one prints no table.
      for (const { name, median, unit, ratio } of more)
        process.stderr.write(`${name}: ${median} ${unit} ${ratio ? `(${ratio.median} ×)` : ""}\n`);
    }
    return rows;
  } finally {
    await server.dispose();
  }
}

const waitRows = (name: string, waits: readonly number[]): Row[] =>
  [0.5, 0.99].map((share) =>
    rowOf(`${name}: ready to session started, p${share * 100}`, "ms", [quantile(waits, share)]),
  );

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
    ...waitRows("…", waits),
    ...(adapter === "local" ? [] : [rowOf("… pushes a session", "", [pushes.length / sessions.length])]),
  ];
}
