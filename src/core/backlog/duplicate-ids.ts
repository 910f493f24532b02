/** Two issues with one id: which of them keeps it. The same answer in every clone, whoever asks. */
/** The older one first: by when it was created, then by the shorter path (a copy's name is longer), then by the path. `held`: the path that a relay of this id works from. */
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
