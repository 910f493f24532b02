/** Pushes and pulls of a relay between two clones, cut at each step: killed, out of reach, rejected, or two at once. */
import { cutCase } from "./cuts/case.ts";
import { inTurns } from "./place/in-turns.ts";
import { randomBy } from "./place/random.ts";
import { inPart } from "./part.ts";
import type { Came, Programme } from "./row.ts";

/** A case has four cuts at most. */
const cases = { short: 3, long: 120 };

export const cuts: Programme = {
  name: "cuts",
  holds:
    "whatever cuts the push or pull of a relay: no commit is lost, no relay overwritten, and no words leave; both clones come to one head",
  async run({ size, seed, part, say }): Promise<Came> {
    const seeds = Array.from({ length: cases[size] }, (_, at) => seed + at);
    const chosen = seeds.filter((one) => inPart(String(one), part));
    const violations: string[] = [];
    const met: string[] = [];
    await inTurns(chosen, async (one) => {
      const { wrong, cuts } = await cutCase(randomBy(one)).catch((error: unknown) => ({
        wrong: [`not finished: ${String(error)}`],
        cuts: [],
      }));
      violations.push(...wrong.map((what) => `seed ${one}: ${what}`));
      met.push(...cuts);
      say(`seed ${one}: ${wrong.join("; ") || "holds"}`);
    });
    const kinds = Object.entries(Object.groupBy(met, (cut) => cut)).map(
      ([cut, some]) => `${cut} ${some?.length}`,
    );
    const notes = [`cuts ${met.length}: ${kinds.toSorted().join(", ")}`];
    return { n: met.length, seeds: `${chosen.length} from ${seed}`, violations, notes };
  },
};
