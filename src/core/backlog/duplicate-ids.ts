/** Decides which of two issues keeps an id that both have. Every clone comes to the same answer. */
/** The issues in order of their claim to the id: `held`, the path that a relay works from, then the older one, then the shorter path (a copy's name is longer), then the path. */
export function keeperFirst<T extends { path: string; createdAtMs: number }>(
  twins: readonly T[],
  held?: string,
): T[] {
  return twins.toSorted(
    (a, b) =>
      Number(b.path === held) - Number(a.path === held) ||
      compare(a.createdAtMs, b.createdAtMs) ||
      compare(a.path.length, b.path.length) ||
      compare(a.path, b.path),
  );
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
