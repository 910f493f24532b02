/** Power losses: the writers of src/store on a disk that keeps what was synced, and of the rest what chance has it. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryOne } from "./power-loss/case.ts";
import { seedsOf } from "./part.ts";
import type { Asked, Came, Programme } from "./row.ts";

/** Short ends at whichever comes first: a minute is what a programme may take. */
const short = { seeds: 20_000, seconds: 40 };
const long = { seeds: 200_000, seconds: Infinity };

export const powerLoss: Programme = {
  name: "power loss",
  holds: "on a disk that drops, tears, zeroes and reorders what was not synced, nothing acknowledged is lost",
  run: ({ size, seed, part, say }) => {
    const { seeds: all, seconds } = size === "short" ? short : long;
    const { n, seed: first } = seedsOf({ seed, n: all }, part);
    return losePower({ seeds: n, seconds }, { seed: first, say });
  },
};

/** As many seeds as fit. */
export async function losePower(
  most: { seeds: number; seconds: number },
  { seed, say }: Pick<Asked, "seed" | "say">,
): Promise<Came> {
  // In memory where the machine has such a folder: the cases make and remove some hundred files each.
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "monoco-power-"));
  const endMs = performance.now() + most.seconds * 1_000;
  const violations: string[] = [];
  let [n, steps] = [0, 0];
  try {
    while (n < most.seeds && performance.now() < endMs) {
      const one = await tryOne(seed + n, join(folder, "case"));
      n += 1;
      steps += one.steps;
      if (one.violation !== undefined) violations.push(one.violation);
      if (n % 1_000 === 0) say(`${n} seeds, ${violations.length} violations`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const notes = [
    `4 lives and 3 power losses a seed; ${Math.round(steps / Math.max(1, n))} steps of the disk`,
  ];
  return { n, seeds: `${seed} to ${seed + n - 1}`, violations, notes };
}
