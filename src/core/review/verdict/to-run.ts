/** Which commands a verdict names that monoco has to run: on the submission, on the base, and without the work. */
import { kindOf } from "../../issue/criterion-kind.ts";
import type { Margin } from "../../issue/criterion-kind.ts";
import { natureOf } from "../command-nature.ts";
import type { Verdict } from "../verdict-schema.ts";
import { tellsFromBase, graveBefore, isGrave } from "./findings.ts";
import { checkCommand, isCommand, ranOn, natureFor } from "./known.ts";
import type { Known } from "./known.ts";

/** The commands that the verdict and earlier findings name as evidence and monoco has not run yet, each once, in their order. */
export function commandsToRun(
  verdict: Verdict,
  { checks, earlier }: Pick<Known, "checks" | "earlier">,
): string[] {
  const found = [...verdict.findings, ...earlier.filter(tellsFromBase)].map(({ evidence }) => evidence);
  const named = [...verdict.criteria, ...verdict.probes, ...found];
  const own = new Set([checkCommand, ...checks.map(({ command }) => command)]);
  return [...new Set(named.filter(isCommand).map(({ command }) => command))].filter(
    (command) => !own.has(command.trim()),
  );
}

/** A command to run on the base, and how often: three times on each side where its criterion is measured. */
export type BaseRun = { command: string; margin?: Margin };

/**
 * The commands of criteria and grave findings that ended on the submission as the verdict says, each once: those of
 * criteria first. `monoco check` stands for every check. A constant command is not run again.
 */
export function commandsForBase(
  verdict: Verdict,
  known: Pick<Known, "criteria" | "checks" | "branch">,
): BaseRun[] {
  const named = [
    ...verdict.criteria.map((one) => ({ ...one, ...kindOf(known.criteria[one.criterion - 1] ?? "") })),
    ...verdict.findings.filter(isGrave).map(({ evidence }) => ({ ...evidence, margin: undefined })),
  ].flatMap((one) => (isCommand(one) ? [one] : []));
  const found = new Map<string, BaseRun>();
  for (const { command, exitCode, margin } of named) {
    if (ranOn("branch", command, { ...known, base: new Map() })?.exitCode !== exitCode) continue;
    if (natureFor(command, margin) === "constant") continue;
    const all = command.trim() === checkCommand ? known.checks.map((check) => check.command) : [command];
    for (const one of all) {
      if (!found.get(one)?.margin) found.set(one, { command: one, ...(margin && { margin }) });
    }
  }
  return [...found.values()];
}

export type EvidenceCommand = { command: string; exitCode: number };

/** The commands of criteria by which an approval shows behaviour: what they say of the submission when its work is taken out. */
export function commandsForEmptied(
  verdict: Verdict,
  known: Pick<Known, "criteria" | "checks" | "branch" | "base">,
): EvidenceCommand[] {
  const found = (verdict.verdict === "approve" ? verdict.criteria : []).flatMap((one) => {
    if (!isCommand(one) || kindOf(known.criteria[one.criterion - 1] ?? "").kind !== "behaves") return [];
    const { command, exitCode } = one;
    const [branch, base] = [ranOn("branch", command, known), ranOn("base", command, known)];
    if (branch?.exitCode !== exitCode || !base || base.exitCode === exitCode) return [];
    return natureOf(command) === "runs" ? [{ command, exitCode }] : [];
  });
  return [...new Map(found.map((one) => [one.command, one])).values()];
}

/** The commands of earlier findings that end otherwise now: is it the work that has resolved them? */
export function commandsResolved({
  earlier,
  ...known
}: Pick<Known, "earlier" | "checks" | "branch">): EvidenceCommand[] {
  return graveBefore(earlier).flatMap(({ evidence }) => {
    if (!isCommand(evidence) || natureOf(evidence.command) !== "runs") return [];
    const now = ranOn("branch", evidence.command, { ...known, base: new Map() });
    return !now || now.exitCode === evidence.exitCode ? [] : [evidence];
  });
}

/** The files that it names. */
export function filesNamed({ criteria, findings }: Verdict): string[] {
  return [...new Set([...criteria, ...findings].flatMap(({ file }) => file ?? []))];
}
