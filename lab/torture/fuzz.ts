/** Every reader of text from outside, on damaged, spliced, nested and endless texts: none throws, none is slow, none needs much memory. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diceFrom } from "../../test/core/support/simulation.ts";
import { makeInput } from "./fuzz/input.ts";
import { targets } from "./fuzz/table.ts";
import type { Target } from "./fuzz/target.ts";
import { heapBytesMax, readMsMax, tryInput } from "./fuzz/trial.ts";
import { seedsOf } from "./part.ts";
import type { Came, Programme } from "./row.ts";

/** `short` takes less than 40 s on two cores. */
const inputs = { short: 20_000, long: 1_000_000 };
/** Between two words of progress. */
const saidEvery = 5_000;
/** Of one target: more would be the same again. */
const violationsMax = 5;
const slowestListed = 5;

export const fuzz: Programme = {
  name: "fuzz",
  holds: `every reader of text from outside refuses by a MonocoError or its own failure value, within ${readMsMax} ms (longer for long texts) and ${heapBytesMax / 2 ** 20} MB`,
  run: async ({ size, seed, part, say }) =>
    fuzzed({ targets, ...seedsOf({ seed, n: inputs[size] }, part), say }),
};

/** `seed` is the first: each input has one of its own, and the targets take turns. */
export function fuzzed(of: {
  targets: readonly Target[];
  n: number;
  seed: number;
  say: (progress: string) => void;
}): Came {
  const found = new Map<string, string[]>();
  const slowest = new Map<string, { ms: number; words: string }>();
  for (let index = 0; index < of.n; index += 1) {
    if (index > 0 && index % saidEvery === 0) of.say(`${index} inputs`);
    const target = of.targets[index % of.targets.length]!;
    const seed = of.seed + index;
    const { how, text: made } = makeInput(target.corpus, diceFrom(seed));
    const text = made.slice(0, target.charsMax);
    const { ms, violation } = tryInput(target, text);
    if (ms > (slowest.get(target.name)?.ms ?? 0))
      slowest.set(target.name, { ms, words: `${target.name} ${Math.round(ms)} ms, seed ${seed}: ${how}` });
    if (violation === undefined) continue;
    const before = found.get(target.name) ?? [];
    if (before.length < violationsMax)
      before.push(
        `${target.name}, seed ${seed} (${how}): ${violation}; the input: ${kept(target, seed, text)}`,
      );
    found.set(target.name, before);
  }
  const listed = [...slowest.values()].toSorted((a, b) => b.ms - a.ms).slice(0, slowestListed);
  return {
    n: of.n,
    seeds: `${of.seed} to ${of.seed + of.n - 1}`,
    violations: [...found.values()].flat(),
    notes: [`${of.targets.length} readers; the slowest: ${listed.map(({ words }) => words).join("; ")}`],
  };
}

let folder: string | undefined;

/** The file that holds an input that broke a reader. */
function kept(target: Target, seed: number, text: string): string {
  folder ??= mkdtempSync(join(tmpdir(), "monoco-fuzz-found-"));
  const path = join(folder, `${target.name}.seed-${seed}.txt`);
  writeFileSync(path, text);
  return path;
}
