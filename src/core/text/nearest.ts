/** Finds the known name that a mistyped one was probably meant to be. */

/** The name with the fewest letters to change, add, drop or swap; undefined if none is near. Case, `_` and `-` are ignored. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.includes(name)) return name;
  const written = normal(name);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(written.length / 3)) + 1;
  for (const candidate of candidates) {
    const steps = distance(written, normal(candidate), least);
    if (steps < least) [best, least] = [candidate, steps];
  }
  return best;
}

function normal(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

/** The edit distance of two words (swapped neighbours are one step); counting stops at `enough`. */
function distance(from: string, to: string, enough: number): number {
  if (Math.abs(from.length - to.length) >= enough) return enough;
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const changed = last[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      row[j] = Math.min(changed, last[j]! + 1, row[j - 1]! + 1);
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    [before, last] = [last, row];
  }
  return last[to.length]!;
}
