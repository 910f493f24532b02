/** Random numbers that a seed repeats. */

export type Random = {
  /** From 0 up to, and without, 1. */
  next(): number;
  /** From `from` to `to`, both included. */
  whole(from: number, to: number): number;
  /** One of them; there has to be one. */
  of<T>(choices: readonly T[]): T;
  shuffled<T>(values: readonly T[]): T[];
};

/** The generator is mulberry32: 32 bits of state are enough to choose by. */
export function randomBy(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    whole,
    of: (choices) => choices[whole(0, choices.length - 1)]!,
    shuffled: (values) =>
      values
        .map((value) => ({ value, at: next() }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ value }) => value),
  };
}
