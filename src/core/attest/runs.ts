/** Plans which commands of a record run again, and compares how they end with what is claimed. */
import type { Predicate } from "./statement-schema.ts";

/** `base`: the commit where the work begins. */
export type Side = "merge" | "base";

/** A command to run. Evidence runs in the shell of the Reviewer's agent, checks in that of the settings. */
export type Wanted = { side: Side; command: string; evidence: boolean; expected: number };

/** How a command ended; null for one that did not end in time. `flaky`: another time than before. */
export type Seen = { exitCode: number | null; flaky?: true };

/** A line of the result: a criterion, or a check. `claimed`: it was not compared. */
export type RunLine = {
  criterion?: number;
  statement?: string;
  /** What the Reviewer judged of the criterion. */
  result?: Predicate["criteria"][number]["result"];
  /** The command, or the file with its line. */
  evidence: string;
  claimed: Partial<Record<Side, number>>;
  seen: Partial<Record<Side, Seen>>;
  is: "same" | "differs" | "claimed" | "flaky";
};

type Claim = Omit<RunLine, "seen" | "is"> & { isCheck: boolean };

/** What is claimed of commands, checks first. A file and line are looked up, not run. */
function claimsOf({ checks, criteria }: Predicate): Claim[] {
  const of = (claimed: Record<Side, number | null | undefined>): Claim["claimed"] =>
    Object.fromEntries(Object.entries(claimed).filter(([, status]) => typeof status === "number"));
  return [
    ...checks.map(({ command, exitCode }): Claim => ({
      evidence: command,
      claimed: of({ merge: exitCode, base: undefined }),
      isCheck: true,
    })),
    ...criteria.map(({ criterion, statement, result, command, exitCode, base, file, line }): Claim => {
      const place = file === undefined ? "" : line === undefined ? file : `${file}:${line}`;
      const claimed = command === undefined ? {} : of({ merge: exitCode, base });
      const isCheck = checks.some((check) => check.command === command);
      return { criterion, statement, result, evidence: command ?? place, claimed, isCheck };
    }),
  ];
}

/** The commands to run, each once on a side, checks first: evidence may need what they build. */
export function wantedOf(predicate: Predicate, may: (command: string) => boolean): Wanted[] {
  const claims = claimsOf(predicate);
  const wanted = (["merge", "base"] as const).flatMap((side) =>
    claims.flatMap(({ evidence: command, claimed: { [side]: expected }, isCheck }): Wanted[] =>
      expected === undefined || !may(command) ? [] : [{ side, command, evidence: !isCheck, expected }],
    ),
  );
  return [...new Map(wanted.map((one) => [keyOf(one), one])).values()];
}

/** The checks that run on the base before its evidence, and are compared with nothing. */
export function buildsOn(side: Side, predicate: Predicate, may: (command: string) => boolean): string[] {
  return side === "merge" ? [] : predicate.checks.map(({ command }) => command).filter(may);
}

export const keyOf = ({ side, command }: Pick<Wanted, "side" | "command">): string => `${side}\n${command}`;

/**
 * The lines with what was seen by `keyOf`; without runs, all are claimed. `hasLine`: the landed commit has that line, which does
 * not show that it meets the criterion.
 */
export function runLines(
  predicate: Predicate,
  seen: ReadonlyMap<string, Seen>,
  hasLine: (file: string, line: number | undefined) => boolean,
): RunLine[] {
  const places = predicate.criteria.map(({ command, file, line }) =>
    command === undefined && file !== undefined ? hasLine(file, line) : undefined,
  );
  return claimsOf(predicate).map(({ isCheck: _isCheck, ...claim }, index) => {
    const place = places[index - predicate.checks.length];
    const own = (["merge", "base"] as const).flatMap((side) => {
      const one = seen.get(keyOf({ side, command: claim.evidence }));
      return one && claim.claimed[side] !== undefined ? [{ side, one, as: claim.claimed[side] }] : [];
    });
    const line = { ...claim, seen: Object.fromEntries(own.map(({ side, one }) => [side, one])) };
    if (place !== undefined) return { ...line, is: place ? "claimed" : "differs" };
    if (own.some(({ one, as }) => one.exitCode !== as)) return { ...line, is: "differs" };
    if (own.length < Object.keys(claim.claimed).length || own.length === 0) return { ...line, is: "claimed" };
    return { ...line, is: own.some(({ one }) => one.flaky) ? "flaky" : "same" };
  });
}
