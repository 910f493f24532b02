/** Workers that claim by jobs in PostgreSQL in front of the leases, while PostgreSQL and the lines to it fail at random times. */
import { fileURLToPath } from "node:url";
import { faultNames, faultsOn } from "./jobs/faults.ts";
import type { Fault } from "./jobs/faults.ts";
import { openDatabase } from "./jobs/database.ts";
import type { HolderOf } from "./leases/holder.ts";
import { rage } from "./leases/storm.ts";
import type { Came as OfStorm } from "./leases/storm.ts";
import { stormsBySeed } from "./leases/storms.ts";
import { openWorld } from "./leases/world.ts";
import type { Programme } from "./row.ts";

const holder = fileURLToPath(new URL("leases/holder.ts", import.meta.url));

const minutes = 0.15;
const names = ["w1", "w2", "w3"];

export const jobs: Programme = {
  name: "jobs",
  holds:
    "whatever meets PostgreSQL, the lines to it and three workers: no stale holder's push is taken, no commit is lost, each merge happens once",
  run: (asked) =>
    asked.size === "short"
      ? stormsBySeed(asked, { n: 1, faults: faultNames, rage: (seed) => rageOfJobs(seed) })
      : stormsBySeed(asked, {
          n: 11,
          faults: faultNames,
          rage: (seed) => rageOfJobs(seed, long),
        }),
};

/** Faults and work for about a minute and a half. */
const long = { times: 10, issues: 24 };

type Much = {
  /** What happens. */
  faults?: readonly Fault[];
  /** How often. */
  times?: number;
  issues?: number;
  patienceMs?: number;
};

export async function rageOfJobs(
  seed: number,
  { faults = faultNames, times = 1, issues: count = 8, ...more }: Much = {},
): Promise<OfStorm> {
  const issues = Array.from({ length: count }, (_, at) => `FEAT-${String(at + 1).padStart(4, "0")}`);
  const database = await openDatabase(names);
  const world = await openWorld({
    issues,
    workers: names.length,
    command: ({ name, said }) => {
      const of: HolderOf = {
        name,
        log: said,
        issues,
        minutes,
        steps: 3,
        stepMs: 1_000,
        seed,
        database: database.urlOf(name),
      };
      return [process.execPath, holder, JSON.stringify(of)];
    },
  });
  const storm = {
    seed,
    faults: Array.from({ length: times }, () => faults).flat(),
    hit: faultsOn(database),
    leaseMs: minutes * 60_000,
    calmMs: 2_200,
    ...more,
  };
  try {
    return await rage(storm, world);
  } finally {
    await world.dispose();
    await database.dispose();
  }
}
