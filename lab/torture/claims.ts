/** Machines that claim the same issue at the same time, and healthy claims that outlive their lease. */
import { judge } from "./leases/oracle.ts";
import { openMachines, outlive, race } from "./leases/direct.ts";
import type { Programme, Came } from "./row.ts";

const sizes = { short: { races: 20, outlived: 4 }, long: { races: 200, outlived: 100 } };
/** So many claims are held at once. */
const atOnce = 10;
/** Ten of them renew their leases every 4 s, also on a busy machine. */
const minutes = 0.2;
const leasesOutlived = 3;

export const claims: Programme = {
  name: "claims",
  holds: "of machines that claim an issue at once one gets it, and a healthy claim outlives its lease",
  async run({ size, say }): Promise<Came> {
    const { races, outlived } = sizes[size];
    const wrong = [...(await racesOf(3, races)), ...(await outlivedOf(outlived, say))];
    const notes = [
      `races of three machines ${races}`,
      `claims held for ${leasesOutlived} times their lease ${outlived}`,
    ];
    return { n: races + outlived, violations: wrong, notes };
  },
};

export async function racesOf(count: number, rounds: number): Promise<string[]> {
  const { world, machines } = await openMachines(count, 45);
  try {
    const wrong: string[] = [];
    for (let round = 1; round <= rounds; round += 1)
      wrong.push(...(await race(machines, `FEAT-${String(round).padStart(4, "0")}`)));
    return [...wrong, ...(await judge(world)).wrong];
  } finally {
    for (const machine of machines) machine.close();
    await world.dispose();
  }
}

export async function outlivedOf(
  count: number,
  say: (text: string) => void = () => undefined,
): Promise<string[]> {
  const { world, machines } = await openMachines(2, minutes);
  const [holder, rival] = [machines[0]!, machines[1]!];
  const how = { ms: minutes * 60_000 * leasesOutlived, askMs: 3_000 };
  try {
    const wrong: string[] = [];
    for (let first = 0; first < count; first += atOnce) {
      const issues = Array.from(
        { length: Math.min(atOnce, count - first) },
        (_, at) => `FEAT-${String(first + at + 1).padStart(4, "0")}`,
      );
      wrong.push(
        ...(await Promise.all(issues.map((issue) => outlive({ holder, rival, issue }, how)))).flat(),
      );
      say(`${first + issues.length} claims: ${wrong.join("; ") || "hold"}`);
    }
    return [...wrong, ...(await judge(world)).wrong];
  } finally {
    for (const machine of machines) machine.close();
    await world.dispose();
  }
}
