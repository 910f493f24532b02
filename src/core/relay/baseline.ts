/** The baseline of a relay: how its set-up and checks end on the base, before any agent has worked. */
import type { CheckResult } from "../review/check-result.ts";

/** Exit statuses of shells for a program that cannot be run, or is not found. */
const notRun: readonly (number | null)[] = [126, 127, null];

/** A set-up command that failed, or else the results of the checks. */
export type Baseline = { setUp?: CheckResult | undefined; checks: CheckResult[] };

/** A baseline for views. `off`: by the settings; `unknown`: it was not measured on this commit. `failed` says what failed, with its failing tests or its last line. */
export type BaselineSeen = {
  is: "off" | "unknown" | "green" | "red" | "cannot_run";
  base: string;
  commit: string;
  failed: string[];
};

/** The command that shows that the checks cannot run on the base: it failed to set up, to start, or to end in its time. */
export function cannotRun({ setUp, checks }: Baseline): CheckResult | undefined {
  return setUp ?? checks.find(({ exitCode }) => notRun.includes(exitCode));
}

/** The results, with the mark `asBefore` on each failure that the base has, too. */
export function comparedWith(
  results: readonly CheckResult[],
  baseline: readonly CheckResult[],
): CheckResult[] {
  return results.map((result) => {
    const before = baseline.find(({ command }) => command === result.command);
    const asBefore = before && comparison(result, before);
    return asBefore ? { ...result, asBefore } : result;
  });
}

/**
 * Names of failing tests are compared where the base has them, else the failures' lines, else the exit status: with the same one
 * the whole check counts as red before.
 */
function comparison(now: CheckResult, before: CheckResult): CheckResult["asBefore"] {
  if (now.exitCode === 0 || before.exitCode === 0) return undefined;
  if (before.failing && now.failing) return isWithin(now.failing, before.failing) ? "same" : undefined;
  if (now.signature === before.signature) return "same";
  if (notRun.includes(now.exitCode) && now.exitCode !== before.exitCode) return undefined;
  if (before.failing) return undefined;
  if (isWithin(now.signature?.split("\n"), before.signature?.split("\n") ?? [])) return "same";
  return now.exitCode === before.exitCode ? "unread" : undefined;
}

function isWithin(some: readonly string[] | undefined, all: readonly string[]): boolean {
  return some !== undefined && some.every((one) => all.includes(one));
}
