/** A relay met at each of its system calls that change the disk: killed there, or told that it failed; then resumed. */
import { learnCalls, meet, straceWorks } from "./crash-points/meet.ts";
import { everyPoint, nameOf, sampleOf } from "./crash-points/points.ts";
import type { Point } from "./crash-points/points.ts";
import { inTurns } from "./place/in-turns.ts";
import { randomBy } from "./place/random.ts";
import { inPart } from "./part.ts";
import type { Came, Programme } from "./row.ts";

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
    const calls = await learnCalls();
    const all = everyPoint(calls);
    const ofPart = (): Point[] => all.filter((point) => inPart(nameOf(point), part));
    const points = size === "long" ? ofPart() : sampleOf(all, shortPoints, randomBy(seed));
    const violations: string[] = [];
    const sum = { met: 0, over: 0, asked: 0 };
    await inTurns(points, async (point) => {
      const came = await meet(point).catch((error: unknown) => ({
        met: false,
        over: false,
        asked: false,
        wrong: [`${nameOf(point)}: not finished: ${String(error)}`],
      }));
      for (const name of ["met", "over", "asked"] as const) sum[name] += Number(came[name]);
      violations.push(...came.wrong);
      say(`${nameOf(point)} (${point.on}): ${came.wrong.length === 0 ? "holds" : came.wrong.join("; ")}`);
    });
    return {
      n: points.length,
      seeds: String(seed),
      violations,
      notes: notesOn(points, calls.length, sum),
    };
  },
};

function withoutStrace(counts: boolean): Came {
  const note = "strace is missing, or may not trace here: nothing was tried";
  process.stderr.write(`crash points: ${note}\n`);
  return { n: 0, violations: counts ? [note] : [], notes: [note] };
}

function notesOn(points: readonly Point[], calls: number, { met, over, asked }: Sum): string[] {
  const kinds = Object.entries(
    Object.groupBy(points, ({ owner, fault }) => `${owner === "runner" ? owner : "git"} ${fault}`),
  );
  return [
    `calls that write in a relay: ${calls}`,
    `points reached: ${met} of ${points.length}; the run went on to its end: ${over}`,
    `a git that failed in the person's repository left something to the person: ${asked}`,
    kinds.map(([kind, some]) => `${kind} ${some?.length}`).join(", "),
  ];
}
