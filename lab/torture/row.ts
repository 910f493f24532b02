/** A programme of `npm run torture -w lab`: one property, tried on many cases that a seed makes. */
import type { Part } from "./part.ts";

/** How much of it: `short` takes a minute at most on two cores, `long` hours. */
export type Size = "short" | "long";

export type Asked = {
  size: Size;
  /** The first seed; a programme counts up from it. */
  seed: number;
  /** The share of its cases that is tried. */
  part: Part;
  /** Tells how far it is, in a few words. */
  say: (progress: string) => void;
};

export type Came = {
  /** How many cases were tried. */
  n: number;
  /** The seeds, where there were any: `1 to 20000`. */
  seeds?: string;
  /** What did not hold, each with what repeats it. */
  violations: readonly string[];
  /** What else the figures have to say: how many cases fell into which phase, the slowest, the largest. */
  notes?: readonly string[];
};

export type Programme = {
  name: string;
  /** What has to hold, in one sentence. */
  holds: string;
  run(asked: Asked): Promise<Came>;
};
