/** A share of a long programme: so many of them, on so many nights, are the whole. */
import { createHash } from "node:crypto";

/** The `k`th of `of`, from 1. */
export type Part = { k: number; of: number };

export const whole: Part = { k: 1, of: 1 };

/** `2/8`; undefined for anything else. */
export function partFrom(text: string): Part | undefined {
  const [, k, of] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const part = { k: Number(k), of: Number(of) };
  return part.k >= 1 && part.k <= part.of ? part : undefined;
}

/** Cases with a name fall into a part by its hash: the same wherever they are found, and in whatever order. */
export function inPart(name: string, { k, of }: Part): boolean {
  return createHash("sha256").update(name).digest().readUInt32BE() % of === k - 1;
}

/** The seeds of a part: `n` from `seed` are those of the whole. */
export function seedsOf(
  { seed, n }: { seed: number; n: number },
  { k, of }: Part,
): { seed: number; n: number } {
  const before = (parts: number): number => Math.floor((n * parts) / of);
  return { seed: seed + before(k - 1), n: before(k) - before(k - 1) };
}
