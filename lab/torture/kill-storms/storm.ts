/** One storm: blows fall on a run at times that a seed chooses, the run is begun again, and in the end has to be whole. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { approvalsAsked } from "../../../test/support/approvals-asked.ts";
import { commitsOf, leftRunning, locksToRemove, takeBackMerge, wrongIn } from "../place/ending.ts";
import { cloneOf, openPlace } from "../place/place.ts";
import type { Place, Ran } from "../place/place.ts";
import { randomBy } from "../place/random.ts";
import { processesIn } from "../place/processes.ts";
import type { Found, Role } from "../place/processes.ts";
import type { Random } from "../place/random.ts";
import { within } from "../place/stall.ts";
import { send, strike } from "./blow.ts";
import type { Blow } from "./blow.ts";

/**
 * `issues`: how many relays in each clone of the repository; `runs`: how many want each of them at the same time; `orphans`: the
 * first blow kills the runner while the agents are stopped, which cannot end by themselves then.
 */
export type Storm = { seed: number; issues: number; runs: number; clones: number; orphans: boolean };
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

/**
 * One relay alone, or two to eight at once; every third storm one relay that two runs want, or sixteen; every sixth the
 * same issues in two clones of a repository, which have nothing to do with each other; every sixth begins with an orphan.
 */
export function stormOf(seed: number): Storm {
  const random = randomBy(seed);
  if (seed % 3 === 0) return { seed, issues: 1, runs: seed % 12 === 0 ? 16 : 2, clones: 1, orphans: false };
  if (seed % 6 === 1) return { seed, issues: random.of([1, 2]), runs: 1, clones: 2, orphans: false };
  return { seed, issues: random.of([1, 2, 2, 3, 8]), runs: 1, clones: 1, orphans: seed % 6 === 5 };
}

export const relaysOf = ({ issues, clones }: Storm): number => issues * clones;

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

async function wrongAfter(storm: Storm, place: Place, blows: Blow[]): Promise<string[]> {
  const random = randomBy(storm.seed);
  const places = [place];
  for (let more = 1; more < storm.clones; more++) places.push(await cloneOf(place, `clone-${more}`));
  const beginAll = (): Promise<unknown> => Promise.all(places.map((one) => begin(one, storm.runs)));
  let running = beginAll();
  let begun = 1;
  const orphans = storm.orphans ? await orphansOf(place) : [];
  while (blows.length < blowsMin + relaysOf(storm) && begun <= beginsMax) {
    await sleep(random.whole(50, calmMsMax));
    if (await isOver(running)) {
      running = beginAll();
      begun += 1;
    } else blows.push(...(await blowOn(random.of(places), random)));
  }
  await running;
  const before = await Promise.all(places.map(commitsOf));
  // Commands count as gits: see `roleOf`.
  const killedCommand = blows.some(({ what }) => /^kill (?:group of )?git$/.test(what));
  const ends = await Promise.all(places.map((one) => untilDone(one, killedCommand)));
  // Only now: processes of both are found by the folder around them.
  const wrong = await Promise.all(places.map((one, at) => wrongIn(one, before[at]!)));
  return [orphans, ...ends, ...wrong].flat();
}

/** What is left of a relay whose runner is killed while its agent works: the agent is stopped, or it would end soon by itself. */
async function orphansOf(place: Place): Promise<string[]> {
  // Not what holds an agent: stopped before it has asked to end with its runner, it could not.
  const of = (role: Role): Found[] =>
    processesIn(place.sandbox.folder).filter(
      (one) => one.role === role && !one.words.includes("monoco-session"),
    );
  while (!readFileSync(place.agentsLog, "utf8").includes("start ")) await sleep(20);
  for (const { pid } of of("session")) send(pid, "SIGSTOP");
  for (const { pid } of of("runner")) send(pid, "SIGKILL");
  return (await leftRunning(place)).map((one) => `still runs after its runner: ${one}`);
}

async function blowOn(place: Place, random: Random): Promise<Blow[]> {
  const blow = await strike(place, random);
  return blow ? [blow] : [];
}

/** Each run has a process group of its own, as a shell would give it. */
function begin(place: Place, runs: number): Promise<Ran[]> {
  return Promise.all(Array.from({ length: runs }, () => runsOf(place)).flat());
}

function runsOf(place: Place): Promise<Ran>[] {
  // A run that was killed before its first event was written has opened none.
  const isOpen = (issue: string): boolean => {
    const journal = join(place.project, ".monoco", "relays", issue, "journal.jsonl");
    return existsSync(journal) && readFileSync(journal, "utf8").includes("\n");
  };
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

async function approve({ start }: Place, issue: string): Promise<void> {
  await start(["issue", "review", issue, "--approve", "--no-run"]);
}

async function isOver(running: Promise<unknown>): Promise<boolean> {
  const still = Symbol("still running");
  return (await Promise.race([running, sleep(0, still)])) !== still;
}

/**
 * Resumed as a person would, who does what the hints say. Of a verdict's command one part alone may have been killed: the command
 * has said no by itself then, and monoco asks a person, who looks at the work and approves it.
 */
async function untilDone(place: Place, killedCommand: boolean): Promise<string[]> {
  let last: Ran[] = [];
  for (let turn = 0; turn < resumesMax; turn++) {
    last = await begin(place, 1);
    if (last.every(({ exitCode }) => exitCode === 0)) return [];
    const said = last.map(({ stdout }) => stdout).join("\n");
    for (const lock of locksToRemove(said)) rmSync(lock, { force: true });
    await takeBackMerge(place, said);
    if (killedCommand) for (const issue of approvalsAsked(said)) await approve(place, issue);
  }
  const said = last.flatMap(({ stdout, stderr }) => `${stdout}\n${stderr}`.trim().split("\n").slice(-4));
  return [`resumed ${resumesMax} times, it is not done: ${said.join(" | ")}`];
}
