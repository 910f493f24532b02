/** The facts that monoco weighs a verdict by: its own measurements, and the results of the commands that the verdict names. */
import type { CheckResult } from "../check-result.ts";
import type { Figures } from "../../trial/output.ts";
import type { ListedPlace } from "../inspection.ts";
import type { OnTrees } from "../../trial/evidence-runs.ts";
import { isRun } from "../../trial/due.ts";
import type { FileRole } from "../../trial/roles.ts";
import type { Trial } from "../../trial/trial-schema.ts";
import type { Answer, Criterion, Finding, Probe } from "../verdict-schema.ts";

/** What monoco knows of its own. */
export type Known = {
  /** The contract's criteria in words, in their order. */
  criteria: readonly string[];
  /** The checks that it ran on the submission. */
  checks: readonly CheckResult[];
  /** How the named commands ended on each tree, by command. */
  runs: ReadonlyMap<string, OnTrees>;
  /** What was measured, by command. */
  figures: ReadonlyMap<string, Figures>;
  /** What the trial of its tests has shown. */
  trial?: Trial | undefined;
  /** The files that the submission changes, the contract left out. */
  changed: readonly { path: string; role: FileRole }[];
  /** Commands that measure, by what the submission changes itself. */
  ownRulers?: ReadonlySet<string>;
  /** Nothing could be run on the base: its set-up fails. */
  baseTrouble?: boolean;
  /** The number of lines of each named file that is there. */
  lines: ReadonlyMap<string, number>;
  /** The lines whose words the submission adds, by file. */
  added: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** Protected paths that the submission changes. */
  guarded: readonly string[];
  /** Protected paths and weakenings that it lists, each to be answered. */
  listed?: readonly ListedPlace[];
  /** The submission is approved, and looked at once more: what is not said again stands. */
  confirms?: boolean;
  /** The Reviewer was asked once already: what is left is for a person. */
  asked?: boolean;
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

type CommandNamed = { command?: string | undefined; exitCode?: number | undefined };

export type NamedCommand = { command: string; exitCode: number };

export function isCommand<T extends CommandNamed>(one: T): one is T & NamedCommand {
  return one.command !== undefined && one.exitCode !== undefined && !one.command.includes("\0");
}

/** The checks that a command names: one, or all of them as `monoco check`. */
export function checksNamed(command: string, checks: readonly CheckResult[]): string[] {
  const name = command.trim();
  const all = checks.map((check) => check.command);
  return name === checkCommand ? all : all.filter((one) => one === name);
}

/** How a command ended on the submission; undefined where it was not run, or not to its end. */
export function onBranch(
  command: string,
  { checks, runs }: Pick<Known, "checks" | "runs">,
): number | undefined {
  const named = checksNamed(command, checks);
  if (named.length > 0) {
    const results = checks.filter((check) => named.includes(check.command));
    return (results.find(({ exitCode }) => exitCode !== 0) ?? results[0])?.exitCode ?? undefined;
  }
  const branch = runs.get(command)?.branch;
  return branch && isRun(branch) ? branch.exitCode : undefined;
}

/** A check that turned red with the new tests on the base, or when a change was taken back: it shows what it is named for. */
export function isGuard(command: string, { checks, trial }: Pick<Known, "checks" | "trial">): boolean {
  if (!trial) return false;
  const { onBase, takeBack } = trial;
  return checksNamed(command, checks).some(
    (check) =>
      (onBase.result === "fail" && onBase.by === check) ||
      takeBack.changes.some(({ result, by }) => result === "guarded" && by === check),
  );
}
