/** How many checks run at once beside a session: one core stays free. */
import { expect, test } from "vitest";
import { slots } from "../../src/relay/review/slots.ts";

test.for([
  [1, 1],
  [2, 1],
  [4, 3],
] as const)("on %i cores %i at once, the others in order as soon as one ends", async ([cores, max]) => {
  const free = slots(cores);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const works = Array.from({ length: 6 }, (_, at) =>
    free(() => {
      begun.push(at);
      return new Promise<void>((resolve) => ends.push(resolve));
    }),
  );
  for (let ended = 0; ended < works.length; ended += 1) {
    expect(begun).toEqual([0, 1, 2, 3, 4, 5].slice(0, ended + max));
    ends[ended]!();
    await works[ended];
    // The next work begins once the promise that it waits for has settled.
    await new Promise(setImmediate);
  }
});
