/** One storm: blows fall on a run at times that a seed chooses, the run is begun again, and in the end has to be whole. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { commitsOf, wrongIn } from "../place/ending.ts";
import { openPlace } from "../place/place.ts";
import type { Place, Ran } from "../place/place.ts";
import { randomBy } from "../place/random.ts";
import type { Random } from "../place/random.ts";
import { within } from "../place/stall.ts";
import { strike } from "./blow.ts";
import type { Blow } from "./blow.ts";

/** `issues`: how many relays; `twins`: each run is begun twice, at the same time. */
export type Storm = { seed: number; issues: number; twins: boolean };
export type Came = { blows: Blow[]; wrong: string[] };

/** An agent works so long before each of its steps: blows shall fall on sessions too. */
const pauseSeconds = 0.2;
/** Blows before the storm is over: so many, and one more for each relay. */
const blowsMin = 4;
/** A run that has reached its end is not hit any more, however often it is begun. */
const beginsMax = 20;
/** The longest calm between two blows: half of what an undisturbed relay of these takes, so that blows fall everywhere. */
const calmMsMax = 3_000;
/** Several times what a storm of eight relays takes on two busy cores. */
const stormMsMax = 900_000;
/** Resumed once, a relay goes on; a breaker that the dead sessions have opened may want it again. */
const resumesMax = 3;

/** Two to eight relays at once, one alone, and every third storm one relay that two runs want. */
export function stormOf(seed: number): Storm {
  const twins = seed % 3 === 0;
  return { seed, twins, issues: twins ? 1 : randomBy(seed).of([1, 2, 2, 3, 8]) };
}

/** A storm that does not come to its end before `patience` does is given up. */
export async function rage(storm: Storm, patience = AbortSignal.timeout(stormMsMax)): Promise<Came> {
  const blows: Blow[] = [];
  const ids = Array.from({ length: storm.issues }, (_, at) => `FEAT-${String(at + 1).padStart(4, "0")}`);
  const place = await openPlace(ids, pauseSeconds);
  const wrong = await within(place, patience, wrongAfter(storm, place, blows))
    .catch((error: unknown) => [`not finished: ${String(error)}`])
    .finally(() => place.sandbox.dispose());
  return { blows, wrong: wrong.map((one) => `seed ${storm.seed}: ${one}`) };
}

async function wrongAfter({ seed, issues, twins }: Storm, place: Place, blows: Blow[]): Promise<string[]> {
  const random = randomBy(seed);
  let running = begin(place, twins);
  let begun = 1;
  while (blows.length < blowsMin + issues && begun <= beginsMax) {
    await sleep(random.whole(50, calmMsMax));
    if (await isOver(running)) {
      running = begin(place, twins);
      begun += 1;
    } else blows.push(...(await blowOn(place, random)));
  }
  await running;
  const before = await commitsOf(place);
  const ends = await untilDone(place);
  return [...ends, ...(await wrongIn(place, before))];
}

async function blowOn(place: Place, random: Random): Promise<Blow[]> {
  const blow = await strike(place, random);
  return blow ? [blow] : [];
}

/** Each run has a process group of its own, as a shell would give it. */
function begin(place: Place, twins: boolean): Promise<Ran[]> {
  return Promise.all([...runsOf(place), ...(twins ? runsOf(place) : [])]);
}

function runsOf(place: Place): Promise<Ran>[] {
  const isOpen = (issue: string): boolean =>
    existsSync(join(place.project, ".monoco", "relays", issue, "journal.jsonl"));
  const start = (verb: readonly string[], ids: readonly string[]): Promise<Ran>[] =>
    ids.length === 0 ? [] : [place.start([...verb, ...ids, "-j", String(ids.length)], ["setsid", "--wait"])];
  return [
    ...start(["relay", "resume"], place.issues.filter(isOpen)),
    ...start(
      ["run"],
      place.issues.filter((issue) => !isOpen(issue)),
    ),
  ];
}

async function isOver(running: Promise<Ran[]>): Promise<boolean> {
  const still = Symbol("still running");
  return (await Promise.race([running, sleep(0, still)])) !== still;
}

async function untilDone(place: Place): Promise<string[]> {
  let last: Ran[] = [];
  for (let turn = 0; turn < resumesMax; turn++) {
    last = await begin(place, false);
    if (last.every(({ exitCode }) => exitCode === 0)) return [];
  }
  const said = last.flatMap(({ stdout, stderr }) => `${stdout}\n${stderr}`.trim().split("\n").slice(-4));
  return [`resumed ${resumesMax} times, it is not done: ${said.join(" | ")}`];
}
