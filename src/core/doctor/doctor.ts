/** Judges what was gathered: each finding by its rule, the status that they come to, and the words for each. */
import type { Advice } from "../error/hint-schema.ts";
import { diagnoseMachine } from "./machine.ts";
import { machineRows } from "./machine-rows.ts";
import { diagnoseRepository } from "./repository.ts";
import { repositoryRows } from "./repository-rows.ts";
import type { Facts } from "./facts.ts";
import type { Finding, MachineValues, RepositoryValues, Rule } from "./finding.ts";
import type { Area, Rows } from "./row.ts";
import { exitCodes } from "../error/error.ts";

const rows: Rows<MachineValues & RepositoryValues> = { ...machineRows, ...repositoryRows };

/** All that is found, in the order of its areas. */
export function diagnose({ machine, repository }: Facts): Finding[] {
  return [...diagnoseMachine(machine), ...(repository ? diagnoseRepository(repository) : [])];
}

/** Notes do not count. */
export function exitStatusOf(findings: readonly Finding[]): number {
  const bad = findings.filter(({ state }) => state === "bad");
  if (bad.some(({ rule }) => rule === "role_unplayed")) return exitCodes.agent;
  return bad.length > 0 ? exitCodes.person : 0;
}

export function findingWords(finding: Finding): string {
  return rowOf(finding.rule, finding).words();
}

/** Undefined for what is good. */
export function fixOf(finding: Finding): Advice | undefined {
  return rowOf(finding.rule, finding).fix();
}

/** Whether `--fix` does it. */
export function isSafe({ rule }: Finding): boolean {
  return rows[rule].safe === true;
}

export function areaOf({ rule }: Finding): Area {
  return rows[rule].area;
}

/** Its rule is an argument of its own: only so the compiler knows that it belongs to the finding. */
function rowOf<R extends Rule>(
  rule: R,
  finding: (MachineValues & RepositoryValues)[R],
): { words(): string; fix(): Advice | undefined } {
  const row = rows[rule];
  return { words: () => row.words(finding), fix: () => row.fix?.(finding) };
}
