/** What a verdict is weighed with: what monoco knows of its own, and what a command came to. */
import type { Margin } from "../../issue/criterion-kind.ts";
import type { CheckResult } from "../check-result.ts";
import { natureOf } from "../command-nature.ts";
import type { CommandNature } from "../command-nature.ts";
import type { Emptied, Ran } from "../evidence.ts";
import type { ListedPlace } from "../inspection.ts";
import type { Answer, Criterion, Finding, Probe } from "../verdict-schema.ts";

/** What monoco knows of its own. */
export type Known = {
  /** The contract's criteria in words, in their order. */
  criteria: readonly string[];
  /** The checks that it ran on the submission. */
  checks: readonly CheckResult[];
  /** The named commands that were run on the submission. */
  branch: ReadonlyMap<string, Ran>;
  /** Those that were run on the base. */
  base: ReadonlyMap<string, Ran>;
  /** Commands that have run on the submission with all its work taken out. */
  emptied?: ReadonlyMap<string, Emptied>;
  /** How commands ended that have run on the submission once more, after the base: no state outside the clones may tell. */
  again?: ReadonlyMap<string, Ran>;
  /** Commands that measure, by what the submission changes itself. */
  ownRulers?: ReadonlySet<string>;
  /** Commands of earlier findings on the submission without the new files that nothing names. */
  unresolved?: ReadonlyMap<string, Ran>;
  /** Why nothing could be run on the base. */
  baseTrouble?: string | undefined;
  /** The number of lines of each named file that is there. */
  lines: ReadonlyMap<string, number>;
  /** The numbers of the lines whose words the submission adds, by file. */
  added: ReadonlyMap<string, ReadonlySet<number>>;
  /** Protected paths that the submission changes. */
  guarded: readonly string[];
  /** Protected paths and weakenings that it lists, each to be answered. */
  listed?: readonly ListedPlace[];
  /** The submission is approved, and looked at once more: what is not said again stands. */
  confirms?: boolean;
  /** What was found in earlier rounds. */
  earlier: readonly Finding[];
};

/** What comes of it. */
export type Weighed = {
  criteria: Criterion[];
  probes: Probe[];
  findings: Finding[];
  /** Of places that are listed. */
  answers?: Answer[];
  /** Earlier findings whose commands end otherwise only while new files are there that nothing names: a person decides. */
  unresolved?: string[];
  /** Why the verdict does not count; empty where it does. */
  why: string[];
};

/** `monoco check` in a Reviewer's hands is the checks that monoco ran itself. */
export const checkCommand = "monoco check";

type Named = { command?: string | undefined; exitCode?: number | undefined };

export type NamedCommand = { command: string; exitCode: number };

export function isCommand<T extends Named>(one: T): one is T & NamedCommand {
  return one.command !== undefined && one.exitCode !== undefined && !one.command.includes("\0");
}

/** What a command came to on one side; `monoco check` is every check in one. */
export function ranOn(
  side: "branch" | "base",
  command: string,
  known: Pick<Known, "checks" | "branch" | "base">,
): Ran | undefined {
  const name = command.trim();
  const { checks } = known;
  if (name === checkCommand && checks.length > 0) {
    const all = checks.map((check) => ranOn(side, check.command, known));
    return all.find((ran) => ran?.exitCode !== 0 || ran.exitCode === null) ?? all[0];
  }
  if (side === "base") return known.base.get(command) ?? known.base.get(name);
  const check = checks.find((result) => result.command === name);
  const ran = known.branch.get(command);
  return ran?.figures ? ran : (check ?? ran);
}

/** Of a command that measures, the figure counts and not the status: `node bench.js | tail -1`. */
export function natureFor(command: string, margin: Margin | undefined): CommandNature {
  return natureOf(command, margin ? "output" : "status");
}
