/** Broken tests of the base that no person has to see: the contract asks for the change. */
import type { FileDiff } from "../text/diff.ts";

/** Whether a single criterion names an input and the new value of every changed assertion in these files. */
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
      const cites = [...is].some((token) => was.has(token) && said.has(token));
      // Another input would be another assertion: only the expected value may be gone without being named.
      const gone = valuesOf(text).filter((value) => !valuesOf(added[at]?.text ?? "").includes(value));
      const unnamed = gone.filter((value) => ![...tokensOf(value)].every((token) => said.has(token)));
      if (unnamed.length > 1) return false;
      return fresh.length > 0 && cites && [...fresh, ...kept].every((token) => said.has(token));
    }),
  );
}

/** The numbers, and the texts in quotes. */
const valuesOf = (text: string): string[] => text.match(/"[^"]*"|'[^']*'|`[^`]*`|\d+(?:\.\d+)?/g) ?? [];

/** The numbers and words of a text. */
function tokensOf(text: string): Set<string> {
  return new Set(text.match(/\d+(?:\.\d+)?|[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []);
}
