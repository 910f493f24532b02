/** What happens to PostgreSQL, to the lines to it, or to a worker behind it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Hit } from "../leases/faults.ts";
import { saidIn } from "../leases/said.ts";
import type { Database } from "./database.ts";
import type { Proxy } from "./proxy.ts";

type On = Hit & { database: Database };

/** From `fromMs` to `toMs`; less where the storm is over. */
const wait = ({ random, signal }: On, fromMs: number, toMs: number): Promise<unknown> =>
  sleep(random.whole(fromMs, toMs), undefined, { signal }).catch(() => undefined);

/** The line of the worker, or, as often, those of all: for a while. */
const onLines =
  (break_: (line: Proxy, on: On) => void, [fromMs, toMs]: readonly [number, number]) =>
  async (on: On): Promise<void> => {
    const { lines } = on.database;
    const own = [lines.get(on.worker.name)!];
    const hit = on.random.next() < 0.5 ? own : [...lines.values()];
    for (const line of hit) break_(line, on);
    await wait(on, fromMs, toMs);
    for (const line of hit) line.mend();
  };

const faults = {
  "PostgreSQL killed": (on) => on.database.restart("SIGKILL", () => wait(on, 0, 2_000)),
  "PostgreSQL restarted": (on) => on.database.restart("SIGINT", async () => undefined),
  "jobs lost": ({ database }) => database.forget(),
  "connections dropped": onLines((line) => line.drop(), [0, 1_500]),
  "answers late": onLines((line, { random }) => line.delay(random.whole(500, 4_000)), [1_000, 4_000]),
  "connections half-closed": onLines(
    (line, { random }) => line.halfClose(random.of(["worker", "server"])),
    [500, 3_000],
  ),
  "a worker killed": async (on) => {
    const { worker } = on;
    await hasClaim(on);
    worker.kill();
    worker.start();
  },
} as const satisfies Record<string, (on: On) => Promise<void>>;

/** Waits until the worker has an issue; not for long, since PostgreSQL may be away. */
async function hasClaim({ world, worker, signal }: On): Promise<void> {
  for (let look = 0; look < 75 && !signal.aborted; look += 1) {
    const last = saidIn(world.said).findLast(
      (said) => said.worker === worker.name && ["claimed", "released", "killed"].includes(said.what),
    );
    if (last?.what === "claimed") return;
    await sleep(200);
  }
}

export type Fault = keyof typeof faults;
export const faultNames = Object.keys(faults) as Fault[];

export const faultsOn =
  (database: Database) =>
  (fault: Fault, on: Hit): Promise<void> =>
    faults[fault]({ ...on, database });
