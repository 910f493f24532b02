/** The facts against which monoco weighs a verdict: its own measurements, and the results of the verdict's commands. */
import type { CheckResult } from "../check-result.ts";
import type { Figures } from "../../trial/output.ts";
import type { ListedPlace } from "../inspection.ts";
import type { OnTrees } from "../../trial/evidence-runs.ts";
import { isRun } from "../../trial/due.ts";
import type { FileRole } from "../../trial/roles.ts";
import type { Trial } from "../../trial/trial-schema.ts";
import type { Answer, Criterion, Finding, Probe } from "../verdict-schema.ts";

/** The facts known to monoco. */
export type Known = {
  /** The texts of the contract's criteria, in order. */
  criteria: readonly string[];
  /** The checks that monoco ran on the submission. */
  checks: readonly CheckResult[];
  /** The results of the verdict's commands on each tree, by command. */
  runs: ReadonlyMap<string, OnTrees>;
  /** Measured figures, by command. */
  figures: ReadonlyMap<string, Figures>;
  /** The result of the trial of the tests. */
  trial?: Trial | undefined;
  /** The changed files, without the contract. */
  changed: readonly { path: string; role: FileRole; before?: unknown }[];
  /** Commands that measure with a program that the submission changes. */
  ownRulers?: ReadonlySet<string>;
  /** Whether nothing could run on the base, because its set-up fails. */
  baseTrouble?: boolean;
  /** The number of lines of each file in the verdict that exists. */
  lines: ReadonlyMap<string, number>;
  /** The lines with text that the submission adds, by file. */
  added: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** The changed protected paths. */
  guarded: readonly string[];
  /** The listed protected paths and weakenings, each of which needs an answer. */
  listed?: readonly ListedPlace[];
  /** Whether this verdict confirms an approval; anything that it does not repeat stays in force. */
  confirms?: boolean;
  /** Whether the Reviewer was asked again already: open points are then for a person. */
  asked?: boolean;
  /** The findings of earlier rounds. */
  earlier: readonly Finding[];
};

/** The result of weighing. */
export type Weighed = {
  criteria: Criterion[];
  probes: Probe[];
  findings: Finding[];
  /** The answers to listed places. */
  answers?: Answer[];
  /** Earlier findings whose commands end differently only because of new files that nothing refers to: a person decides. */
  unresolved?: string[];
  /** The reasons why the verdict does not count; empty if it does. */
  why: string[];
};

/** `monoco check` in a Reviewer's evidence stands for the checks that monoco ran itself. */
export const checkCommand = "monoco check";

type CommandNamed = { command?: string | undefined; exitCode?: number | undefined };

export type NamedCommand = { command: string; exitCode: number };

export function isCommand<T extends CommandNamed>(one: T): one is T & NamedCommand {
  return one.command !== undefined && one.exitCode !== undefined && !one.command.includes("\0");
}

/** The checks that a command refers to: one of them, or all as `monoco check`. */
export function checksNamed(command: string, checks: readonly CheckResult[]): string[] {
  const name = command.trim();
  const all = checks.map((check) => check.command);
  return name === checkCommand ? all : all.filter((one) => one === name);
}

/** The exit status of a command on the submission; undefined if it did not run to its end. */
export function onBranch(
  command: string,
  { checks, runs }: Pick<Known, "checks" | "runs">,
): number | undefined {
  const names = checksNamed(command, checks);
  if (names.length > 0) {
    const results = checks.filter((check) => names.includes(check.command));
    return (results.find(({ exitCode }) => exitCode !== 0) ?? results[0])?.exitCode ?? undefined;
  }
  const branch = runs.get(command)?.branch;
  return branch && isRun(branch) ? branch.exitCode : undefined;
}

/** Whether a command is a check that turned red with the new tests on the base, or when a change was taken back: such a check shows its criterion. */
export function isGuard(command: string, { checks, trial }: Pick<Known, "checks" | "trial">): boolean {
  if (!trial) return false;
  const { onBase, takeBack } = trial;
  return checksNamed(command, checks).some(
    (check) =>
      (onBase.result === "fail" && onBase.by === check) ||
      takeBack.changes.some(({ result, by }) => result === "guarded" && by === check),
  );
}
