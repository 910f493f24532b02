/** The pure relay: agents that lie, machines that crash, and letters that come late, twice, out of order and about what is over. */
import { phaseOf } from "../../src/index.ts";
import { diceFrom, runToRest } from "../../test/core/support/simulation.ts";
import type { Run } from "../../test/core/support/simulation.ts";
import { laws } from "./model/laws.ts";
import { post } from "./model/post.ts";
import type { Post } from "./model/post.ts";
import { seedsOf } from "./part.ts";
import type { Came, Programme } from "./row.ts";

const runs = { short: 2_000, long: 20_000 };
/** Laws are also kept by doing nothing: so many of a hundred runs have to come to their end. */
const donePercentMin = 10;
const saidEvery = 1_000;
/** Of one law: more would be the same again. */
const violationsMax = 5;
/** A second runner begins with so many dice thrown otherwise. */
const afterCrash = 0x5eed;

export const model: Programme = {
  name: "model",
  holds: `${laws.length} laws of the relay hold over any order of letters and any crash, and ${donePercentMin} % of the runs come to their end`,
  run: async ({ size, seed, part, say }) =>
    modelled({ ...seedsOf({ seed, n: runs[size] }, part), say, play }),
};

export type Played = { run: Run; delivered: ReturnType<Post["delivered"]> };

/** One story: in every second one the runner dies somewhere, and another goes on from what the journal has. */
export function play(seed: number): Played {
  const dice = diceFrom(seed);
  const letters = post(diceFrom(seed + afterCrash));
  const run = runToRest(dice, [], letters.meanwhile);
  if (dice(2) === 0) return { run, delivered: letters.delivered() };
  const left = run.events.slice(0, 1 + dice(run.events.length));
  return { run: runToRest(dice, left, letters.meanwhile), delivered: letters.delivered() };
}

/** `play` makes a run of a seed; the laws judge it. */
export function modelled(of: {
  n: number;
  seed: number;
  say: (progress: string) => void;
  play: (seed: number) => Played;
}): Came {
  const phases = new Map<string, number>();
  const found = new Map<string, string[]>();
  let merged = 0;
  const sum = { letters: 0, twice: 0, taken: 0 };
  const tell = (law: string, words: string): void => {
    const before = found.get(law) ?? [];
    if (before.length < violationsMax) found.set(law, [...before, `${law}: ${words}`]);
  };
  for (let seed = of.seed; seed < of.seed + of.n; seed += 1) {
    if (seed > of.seed && (seed - of.seed) % saidEvery === 0) of.say(`${seed - of.seed} runs`);
    try {
      const { run, delivered } = of.play(seed);
      for (const { name, broken } of laws) {
        const words = broken(run);
        if (words !== undefined) tell(name, `seed ${seed}: ${words}`);
      }
      const phase = phaseOf(run.state);
      phases.set(phase, (phases.get(phase) ?? 0) + 1);
      // A person may open it again afterwards.
      if (run.events.some(({ type }) => type === "merge.done")) merged += 1;
      for (const key of ["letters", "twice", "taken"] as const) sum[key] += delivered[key];
    } catch (error) {
      tell("it throws", `seed ${seed}: ${String(error)}`);
    }
  }
  const done = (merged / of.n) * 100;
  if (done < donePercentMin) tell("runs come to their end", `${done.toFixed(1)} % only`);
  const ended = [...phases].toSorted((a, b) => b[1] - a[1]).map(([phase, count]) => `${phase} ${count}`);
  return {
    n: of.n,
    seeds: `${of.seed} to ${of.seed + of.n - 1}`,
    violations: [...found.values()].flat(),
    notes: [
      `${merged} (${done.toFixed(1)} %) came to their merge; ended in: ${ended.join(", ")}`,
      `letters: ${sum.letters} delivered, ${sum.twice} of them again, ${sum.taken} taken`,
    ],
  };
}
