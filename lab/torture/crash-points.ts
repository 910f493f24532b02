/** A relay met at each of its system calls that change the disk: killed there, or told that it failed; then resumed. */
import { closeGround, goOn, openGround } from "./crash-points/ground.ts";
import type { Ground } from "./crash-points/ground.ts";
import { learn, meet } from "./crash-points/meet.ts";
import type { Met } from "./crash-points/meet.ts";
import { everyPoint, faults, nameOf, sampleOf, withoutRepeats } from "./crash-points/points.ts";
import type { Point } from "./crash-points/points.ts";
import { straceWorks } from "../../test/support/strace.ts";
import type { Call } from "../../test/support/strace.ts";
import { inTurns } from "./place/in-turns.ts";
import { randomBy } from "./place/random.ts";
import { inPart } from "./part.ts";
import type { Asked, Came, Programme } from "./row.ts";

/** Of how many points the run came there, went on to its end, and left something to a person. */
type Sum = Record<"met" | "over" | "asked", number>;

/** A point takes 5 s alone, and two at a time keep two cores busy. */
const shortPoints = 15;

export const crashPoints: Programme = {
  name: "crash points",
  holds:
    "a relay that is killed, or gets an error, at any call that writes reaches the same ending when it is resumed once",
  async run({ size, seed, part, say }): Promise<Came> {
    if (!straceWorks()) return withoutStrace(size === "long");
    const first = await openGround();
    const grounds = [first];
    try {
      const learnt = await learn(first);
      const all = learnt.flatMap(({ calls }) => calls);
      const free = [first];
      const work = async (point: Point): Promise<Met> => {
        const ground =
          free.pop() ??
          (await openTo(
            learnt.slice(0, -1).map(({ events }) => events),
            grounds,
          ));
        const came = await meet(ground, point);
        // A place where something did not come to its end is not used again.
        free.push(ground);
        return came;
      };
      return await metAll(all, { size, seed, part, say }, work);
    } finally {
      for (const ground of grounds) closeGround(ground);
    }
  },
};

/** Another ground, with a copy of each stage: they end after so many events. */
async function openTo(events: readonly number[], grounds: Ground[]): Promise<Ground> {
  const ground = await openGround();
  grounds.push(ground);
  for (const count of events) await goOn(ground, count);
  return ground;
}

async function metAll(
  all: readonly Call[],
  { size, seed, part, say }: Asked,
  work: (point: Point) => Promise<Met>,
): Promise<Came> {
  const calls = withoutRepeats(all);
  const every = everyPoint(calls);
  const points =
    size === "long"
      ? every.filter((point) => inPart(nameOf(point), part))
      : sampleOf(every, shortPoints, randomBy(seed));
  const violations: string[] = [];
  const sum = { met: 0, over: 0, asked: 0 };
  await inTurns(points, async (point) => {
    const came = await work(point).catch((error: unknown) => ({
      met: false,
      over: false,
      asked: false,
      wrong: [`${nameOf(point)}: not finished: ${String(error)}`],
    }));
    for (const name of ["met", "over", "asked"] as const) sum[name] += Number(came[name]);
    violations.push(...came.wrong);
    say(`${nameOf(point)} (${point.on}): ${came.wrong.length === 0 ? "holds" : came.wrong.join("; ")}`);
  });
  const notes = [
    `calls that write in a relay: ${all.length}, of which ${calls.length} are met, by ${faults.length} faults each`,
    ...notesOn(points, sum),
  ];
  return { n: points.length, seeds: String(seed), violations, notes };
}

function withoutStrace(counts: boolean): Came {
  const note = "strace is missing, or may not trace here: nothing was tried";
  process.stderr.write(`crash points: ${note}\n`);
  return { n: 0, violations: counts ? [note] : [], notes: [note] };
}

function notesOn(points: readonly Point[], { met, over, asked }: Sum): string[] {
  const kinds = Object.entries(
    Object.groupBy(points, ({ owner, fault }) => `${owner === "runner" ? owner : "git"} ${fault}`),
  );
  return [
    `points reached: ${met} of ${points.length}; the run went on to its end: ${over}`,
    `a git that failed in the person's repository left something to the person: ${asked}`,
    kinds.map(([kind, some]) => `${kind} ${some?.length}`).join(", "),
  ];
}
