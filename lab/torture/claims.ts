/** Machines that claim the same issue at the same time, and healthy claims that outlive their lease. */
import { judge } from "./leases/oracle.ts";
import { openMachines, outlive, race, stale } from "./leases/direct.ts";
import type { Machine } from "./leases/direct.ts";
import type { World } from "./leases/world.ts";
import type { Programme, Came } from "./row.ts";

const sizes = {
  short: { races: 20, stale: 5, outlived: 4 },
  long: { races: 200, stale: 100, outlived: 100 },
};
/** So many claims are held at once. */
const atOnce = 10;
/** Ten of them renew their leases every 4 s, also on a busy machine. */
const minutes = 0.2;
const leasesOutlived = 3;

export const claims: Programme = {
  name: "claims",
  holds:
    "of machines that claim an issue at once one gets it; a healthy claim outlives its lease; a stale holder merges nothing",
  async run({ size, say }): Promise<Came> {
    const { races, stale: staled, outlived } = sizes[size];
    const wrong = [
      ...(await racesOf(3, races)),
      ...(await staleOf(staled, say)),
      ...(await outlivedOf(outlived, say)),
    ];
    const notes = [
      `races of three machines ${races}`,
      `merges of stale holders, caught between their look and their push ${staled}`,
      `claims held for ${leasesOutlived} times their lease ${outlived}`,
    ];
    return { n: races + staled + outlived, violations: wrong, notes };
  },
};

export async function racesOf(count: number, rounds: number): Promise<string[]> {
  const { world, machines } = await openMachines(count, 45);
  try {
    const wrong: string[] = [];
    for (let round = 1; round <= rounds; round += 1) wrong.push(...(await race(machines, idOf(round))));
    return [...wrong, ...(await judge(world)).wrong];
  } finally {
    for (const machine of machines) machine.close();
    await world.dispose();
  }
}

export function staleOf(count: number, say?: (text: string) => void): Promise<string[]> {
  return ofPairs(count, { minutes: 0.15, say }, stale);
}

export function outlivedOf(count: number, say?: (text: string) => void): Promise<string[]> {
  const how = { ms: minutes * 60_000 * leasesOutlived, askMs: 3_000 };
  return ofPairs(count, { minutes, say }, (_, pair) => outlive(pair, how));
}

type Pair = { holder: Machine; rival: Machine; issue: string };

/** So many issues of two machines, some at once. */
async function ofPairs(
  count: number,
  { minutes: length, say = () => undefined }: { minutes: number; say: ((text: string) => void) | undefined },
  act: (world: World, pair: Pair) => Promise<string[]>,
): Promise<string[]> {
  const { world, machines } = await openMachines(2, length);
  const [holder, rival] = [machines[0]!, machines[1]!];
  try {
    const wrong: string[] = [];
    for (let first = 0; first < count; first += atOnce) {
      const issues = Array.from({ length: Math.min(atOnce, count - first) }, (_, at) => idOf(first + at + 1));
      wrong.push(...(await Promise.all(issues.map((issue) => act(world, { holder, rival, issue })))).flat());
      say(`${first + issues.length} claims: ${wrong.join("; ") || "hold"}`);
    }
    return [...wrong, ...(await judge(world)).wrong];
  } finally {
    for (const machine of machines) machine.close();
    await world.dispose();
  }
}

const idOf = (at: number): string => `FEAT-${String(at).padStart(4, "0")}`;
