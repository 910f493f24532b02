/** Workers with one backlog and a remote between them meet every fault at random times: by leases alone, and whole runs. */
import { fileURLToPath } from "node:url";
import { faultNames, hit } from "./leases/faults.ts";
import type { Fault } from "./leases/faults.ts";
import type { HolderOf } from "./leases/holder.ts";
import { rage } from "./leases/storm.ts";
import type { Came as OfStorm } from "./leases/storm.ts";
import { stormsBySeed } from "./leases/storms.ts";
import { openWorld } from "./leases/world.ts";
import type { Programme } from "./row.ts";

const holder = fileURLToPath(new URL("leases/holder.ts", import.meta.url));

/** Long enough for a busy machine: it is renewed after 3 s. */
const minutes = 0.15;
const storms = { short: 2, long: 55 };
/** So many issues that some are left when the last fault is over; a step takes `stepMs` at most. */
const backlog = { count: 14, steps: 4, stepMs: 600 };

export const leases: Programme = {
  name: "leases",
  holds:
    "whatever meets three workers, their lines, clocks and remote: no stale holder's push is taken, no commit is lost, each merge happens once",
  run: (asked) =>
    stormsBySeed(asked, { n: storms[asked.size], faults: faultNames, rage: (seed) => rageOfHolders(seed) }),
};

export async function rageOfHolders(
  seed: number,
  faults: readonly Fault[] = [...faultNames, ...faultNames],
  { count, steps, stepMs } = backlog,
): Promise<OfStorm> {
  const issues = Array.from({ length: count }, (_, at) => `FEAT-${String(at + 1).padStart(4, "0")}`);
  const world = await openWorld({
    issues,
    workers: 3,
    command: ({ name, said }) => {
      const of: HolderOf = { name, log: said, issues, minutes, steps, stepMs, seed };
      return [process.execPath, holder, JSON.stringify(of)];
    },
  });
  const storm = { seed, faults, hit, leaseMs: minutes * 60_000, calmMs: 600 };
  try {
    return await rage(storm, world);
  } finally {
    await world.dispose();
  }
}
