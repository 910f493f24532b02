/** Storms one after the other, a seed each: what they found, and how often each fault came. */
import { seedsOf } from "../part.ts";
import type { Asked, Came } from "../row.ts";
import type { Came as OfStorm } from "./storm.ts";

type Storms = {
  n: number;
  /** The faults whose hits are counted. */
  faults: readonly string[];
  rage(seed: number): Promise<OfStorm>;
};

export async function stormsBySeed({ seed, part, say }: Asked, { n, faults, rage }: Storms): Promise<Came> {
  const seeds = seedsOf({ seed, n }, part);
  const came: OfStorm[] = [];
  for (let at = seeds.seed; at < seeds.seed + seeds.n; at += 1) {
    const one = await rage(at);
    came.push(one);
    say(`seed ${at}, ${one.hits.length} faults, ${one.seconds} s: ${one.wrong.join("; ") || "holds"}`);
  }
  const hits = came.flatMap((one) => one.hits);
  const sum = (of: keyof OfStorm["figures"]): number =>
    came.reduce((all, { figures }) => all + figures[of], 0);
  return {
    n: hits.length,
    seeds: `${seeds.n} from ${seeds.seed}`,
    violations: came.flatMap(({ wrong }) => wrong),
    notes: [
      `faults ${hits.length}: ${faults.map((name) => `${name} ${hits.filter((hit) => hit === name).length}`).join(", ")}`,
      `pushes taken ${sum("pushes")}, leases ${sum("leases")}, taken over ${sum("takenOver")}, sessions ${sum("sessions")}`,
    ],
  };
}
