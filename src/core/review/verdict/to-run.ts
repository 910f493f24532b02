/** The commands of a verdict that monoco has to run, and their purpose. */
import { kindOf } from "../../issue/criterion-kind.ts";
import type { EvidenceCommand } from "../../trial/evidence-runs.ts";
import { isConstant } from "../evidence.ts";
import type { Finding, Verdict } from "../verdict-schema.ts";
import { graveBefore, isGrave, tellsFromBase } from "./findings.ts";
import { checkCommand, checksNamed, isCommand, onBranch } from "./known.ts";
import type { Known } from "./known.ts";
import { saysItStays } from "../about.ts";

/** Each command once, with its weightiest purpose; `monoco check` stands for every check. A constant command is not run again. */
export function commandsNamed(
  verdict: Verdict,
  { criteria, checks, earlier }: Pick<Known, "criteria" | "checks" | "earlier">,
): EvidenceCommand[] {
  const ofCriteria = verdict.criteria.map((one) => {
    const { kind, guessed, margin } = kindOf(criteria[one.criterion - 1] ?? "");
    return { ...one, of: "criterion" as const, margin, stays: !guessed && kind === "as_before" };
  });
  const evidence = (of: EvidenceCommand["of"], findings: readonly (Verdict["findings"][0] | Finding)[]) =>
    findings.map((finding) => ({ ...finding.evidence, of, margin: undefined, stays: false }));
  const all = [
    ...ofCriteria,
    ...evidence("finding", verdict.findings.filter(isGrave)),
    ...verdict.probes.map((one) => ({ ...one, of: "probe" as const, margin: undefined, stays: false })),
    ...evidence("probe", [...verdict.findings, ...earlier.filter(tellsFromBase)]),
  ];
  const byCommand = new Map<string, EvidenceCommand>();
  for (const one of all) {
    if (!isCommand(one)) continue;
    const names = checksNamed(one.command, checks);
    const { exitCode, of, margin, stays } = one;
    const commands = names.length > 0 ? names : [one.command];
    for (const command of commands) {
      if (byCommand.has(command) || command.trim() === checkCommand) continue;
      const isCheck = names.length > 0;
      const how = isConstant(command) && of !== "finding" && !margin ? ("probe" as const) : of;
      if (isCheck && onBranch(command, { checks, runs: new Map() }) !== exitCode) continue;
      byCommand.set(command, {
        command,
        exitCode,
        of: how,
        margin,
        ...(stays && !isCheck && { stays }),
        ...(isCheck && { isCheck }),
      });
    }
  }
  return [...byCommand.values()];
}

/** Commands of earlier findings that now end differently: has the work resolved them? */
export function commandsResolved({
  earlier,
}: Pick<Known, "earlier">): { command: string; exitCode: number }[] {
  return graveBefore(earlier).flatMap(({ evidence }) => (isCommand(evidence) ? [evidence] : []));
}

/** Whether a criterion can be shown only by the base's tests over guarded lines. */
export function needsGuards(verdict: Verdict, { criteria }: Pick<Known, "criteria">): boolean {
  return verdict.criteria.some(({ criterion, result }) => {
    const text = criteria[criterion - 1] ?? "";
    const { kind, guessed } = kindOf(text);
    return result === "met" && (guessed ? saysItStays(text) : kind === "as_before");
  });
}

/** The files that the verdict refers to. */
export function filesNamed({ criteria, findings }: Verdict): string[] {
  return [...new Set([...criteria, ...findings].flatMap(({ file }) => file ?? []))];
}
