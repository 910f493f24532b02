/** Which broken tests of the base a person need not look at: those that the contract asks to change. */
import type { FileDiff } from "../text/diff.ts";

/** Whether one criterion names, of every assertion that was changed in these files, an input and the new value. */
export function namesAssertions(criteria: readonly string[], diffs: readonly FileDiff[]): boolean {
  return diffs.length > 0 && criteria.some((text) => diffs.every((diff) => namesAll(tokensOf(text), diff)));
}

function namesAll(said: ReadonlySet<string>, { change, blocks }: FileDiff): boolean {
  const replaced = blocks.filter(({ removed }) => removed.some(({ text }) => /\w/.test(text)));
  if (change !== "changed" || replaced.length === 0) return false;
  return replaced.every(({ removed, added }) =>
    removed.every(({ text }, at) => {
      const [was, is] = [tokensOf(text), tokensOf(added[at]?.text ?? "")];
      if (was.size === 0) return true;
      const fresh = [...is].filter((token) => !was.has(token));
      const kept = [...is].filter((token) => was.has(token) && /^\d/.test(token));
      const named = [...is].some((token) => was.has(token) && said.has(token));
      return fresh.length > 0 && named && [...fresh, ...kept].every((token) => said.has(token));
    }),
  );
}

/** Numbers and words. */
function tokensOf(text: string): Set<string> {
  return new Set(text.match(/\d+(?:\.\d+)?|[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []);
}
