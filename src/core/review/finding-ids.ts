/** Keeps the id of a finding through all rounds, so that a repeated one is recognised. */
import type { Finding } from "./verdict-schema.ts";

/**
 * `findings` with unique ids: a finding from `earlier` keeps its id, and one that only shares the id
 * of another finding gets a new one.
 */
export function stableIds(findings: readonly Finding[], earlier: readonly Finding[]): Finding[] {
  const taken = new Set<string>();
  return findings.map((finding) => {
    const before = earlier.find((one) => one.id === finding.id && isSame(one, finding));
    const same = before ?? earlier.find((one) => fold(one.title) === fold(finding.title));
    const wanted = same?.id ?? finding.id;
    const others = earlier.filter((one) => one !== same).map(({ id }) => id);
    const free = (id: string): boolean => !taken.has(id) && (same?.id === id || !others.includes(id));
    const id = free(wanted) ? wanted : numbered(wanted, free);
    taken.add(id);
    return { ...finding, id };
  });
}

/** Whether two findings have the same id and something else in common: Reviewers begin with `F1` in every round. */
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
