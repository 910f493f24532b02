/** A finding keeps its id through all rounds, so that one that comes back is seen to be the same. */
import type { Finding } from "./verdict-schema.ts";

/**
 * `findings` with ids that are unique among themselves, the same as in `earlier` for what was found before, and another for
 * what only shares the id of something else.
 */
export function stableIds(findings: readonly Finding[], earlier: readonly Finding[]): Finding[] {
  const taken = new Set<string>();
  return findings.map((finding) => {
    const before = earlier.find((one) => one.id === finding.id && isSame(one, finding));
    const known = before ?? earlier.find((one) => fold(one.title) === fold(finding.title));
    const wanted = known?.id ?? finding.id;
    const others = earlier.filter((one) => one !== known).map(({ id }) => id);
    const free = (id: string): boolean => !taken.has(id) && (known?.id === id || !others.includes(id));
    const id = free(wanted) ? wanted : numbered(wanted, free);
    taken.add(id);
    return { ...finding, id };
  });
}

/** The same id and something else in common: Reviewers call what they find `F1` in every round. */
function isSame(one: Finding, other: Finding): boolean {
  return (
    (one.file !== undefined && one.file === other.file) ||
    (one.criterion !== undefined && one.criterion === other.criterion) ||
    fold(one.title) === fold(other.title)
  );
}

function numbered(id: string, free: (id: string) => boolean): string {
  let n = 2;
  while (!free(`${id}-${n}`)) n += 1;
  return `${id}-${n}`;
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ").trim();
}
