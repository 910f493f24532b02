/** A relay met at each of its system calls that change the disk: killed there, or told that it failed; then resumed. */
import { learnCalls, meet, straceWorks } from "./crash-points/meet.ts";
import { everyPoint, nameOf, sampleOf } from "./crash-points/points.ts";
import type { Point } from "./crash-points/points.ts";
import { inTurns } from "./place/in-turns.ts";
import { randomBy } from "./place/random.ts";
import type { Came, Programme } from "./row.ts";

/** A point takes 5 s alone, and two at a time keep two cores busy. */
const shortPoints = 18;

export const crashPoints: Programme = {
  name: "crash points",
  holds:
    "a relay that is killed, or gets an error, at any call that writes reaches the same ending when it is resumed once",
  async run({ size, seed, say }): Promise<Came> {
    if (!straceWorks()) return withoutStrace(size === "long");
    const calls = await learnCalls();
    const all = everyPoint(calls);
    const points = size === "long" ? all : sampleOf(all, shortPoints, randomBy(seed));
    const violations: string[] = [];
    let [met, over] = [0, 0];
    await inTurns(points, async (point) => {
      const came = await meet(point).catch((error: unknown) => ({
        met: false,
        over: false,
        wrong: [`${nameOf(point)}: not tried: ${String(error)}`],
      }));
      met += Number(came.met);
      over += Number(came.over);
      violations.push(...came.wrong);
      say(`${nameOf(point)} (${point.on}): ${came.wrong.length === 0 ? "holds" : came.wrong.join("; ")}`);
    });
    return {
      n: points.length,
      seeds: String(seed),
      violations,
      notes: notesOn(points, calls.length, met, over),
    };
  },
};

function withoutStrace(counts: boolean): Came {
  const note = "strace is missing, or may not trace here: nothing was tried";
  process.stderr.write(`crash points: ${note}\n`);
  return { n: 0, violations: counts ? [note] : [], notes: [note] };
}

function notesOn(points: readonly Point[], calls: number, met: number, over: number): string[] {
  const kinds = Object.entries(
    Object.groupBy(points, ({ owner, fault }) => `${owner === "runner" ? owner : "git"} ${fault}`),
  );
  return [
    `calls that write in a relay: ${calls}`,
    `points reached: ${met} of ${points.length}; the run went on to its end: ${over}`,
    kinds.map(([kind, some]) => `${kind} ${some?.length}`).join(", "),
  ];
}
