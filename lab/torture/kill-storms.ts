/** Runs whose runner, sessions, agents, gits and process groups are killed and stopped at random times, and begun again. */
import { rage, relaysOf, stormOf } from "./kill-storms/storm.ts";
import type { Storm } from "./kill-storms/storm.ts";
import type { Blow } from "./kill-storms/blow.ts";
import { inTurns } from "./place/in-turns.ts";
import { inPart } from "./part.ts";
import type { Came, Programme } from "./row.ts";

const relays = { short: 8, long: 1_000 };

export const killStorms: Programme = {
  name: "kill storms",
  holds:
    "whatever of a run is killed or stopped, and by two runs at once: no two sessions of a relay overlap, nothing is lost, doubled or left",
  async run({ size, seed, part, say }): Promise<Came> {
    const storms = stormsFrom(seed, relays[size]).filter((storm) => inPart(String(storm.seed), part));
    const blows: Blow[] = [];
    const violations: string[] = [];
    await inTurns(storms, async (storm) => {
      const came = await rage(storm);
      blows.push(...came.blows);
      violations.push(...came.wrong);
      say(
        `seed ${storm.seed}, ${relaysOf(storm)} relays, ${came.blows.length} blows: ${came.wrong.join("; ") || "holds"}`,
      );
    });
    const n = storms.reduce((sum, storm) => sum + relaysOf(storm), 0);
    const notes = [
      `relays ${n} in ${storms.length} storms; with so many runs of one issue at once: ${counted(storms.map(({ runs }) => String(runs)))}; in two clones: ${storms.filter(({ clones }) => clones > 1).length}`,
      `blows ${blows.length}: ${counted(blows.map(({ what }) => what))}`,
      `after the event: ${counted(blows.map(({ phase }) => phase))}`,
    ];
    const seeds = storms.map((storm) => storm.seed);
    return { n, seeds: `${seeds.length} from ${seed}`, violations, notes };
  },
};

/** As many storms as it takes to have so many relays. */
function stormsFrom(seed: number, atLeast: number): Storm[] {
  const storms: Storm[] = [];
  for (let had = 0; had < atLeast; had += relaysOf(storms.at(-1)!))
    storms.push(stormOf(seed + storms.length));
  return storms;
}

function counted(names: readonly string[]): string {
  return Object.entries(Object.groupBy(names, (name) => name))
    .map(([name, some]) => `${name} ${some?.length}`)
    .toSorted()
    .join(", ");
}
