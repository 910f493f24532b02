/** Measures contestants in turn, round by round, so that a machine whose speed drifts drifts for all of them alike. */

export type Contestants = Readonly<Record<string, () => Promise<number>>>;
/** What was measured, by contestant: one figure a round. */
export type Measured = Readonly<Record<string, readonly number[]>>;
/** The median, and between which two figures the middle half lies. */
export type Spread = { median: number; low: number; high: number };

/** One round first that is not counted (unless `first` is 0); then `rounds`, each beginning with another contestant. */
export async function measureInTurn(
  contestants: Contestants,
  rounds: number,
  first: -1 | 0 = -1,
): Promise<Measured> {
  const names = Object.keys(contestants);
  const measured = Object.fromEntries(names.map((name): [string, number[]] => [name, []]));
  for (let round: number = first; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + 1) % names.length]!;
      const figure = await contestants[name]!();
      if (round >= 0) measured[name]!.push(figure);
    }
  }
  return measured;
}

/** `over` divided by `under`, round by round. */
export function ratios(over: readonly number[], under: readonly number[]): number[] {
  return over.map((figure, round) => figure / under[round]!);
}

export function spreadOf(figures: readonly number[]): Spread {
  const ordered = figures.toSorted((a, b) => a - b);
  const at = (share: number): number => ordered[Math.round((ordered.length - 1) * share)]!;
  return { median: at(0.5), low: at(0.25), high: at(0.75) };
}
