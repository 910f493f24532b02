/** The approvals that a submission still needs before its merge: a second Reviewer, a person. */
import type { Opening, SubmissionRecord } from "../journal/relay-state.ts";
import type { BlockReason } from "../reason/block-schema.ts";
import type { Issue } from "../issue/issue.ts";
import type { Settings } from "../settings/settings.ts";
import type { ProtectedKind } from "../review/protected-kinds.ts";
import type { StartReason } from "../reason/start-schema.ts";
import type { Criterion } from "../review/verdict-schema.ts";
import { t } from "../language/translate.ts";

/** The missing approval, with its reason. */
export type Needed =
  | { who: "reviewer"; reason: Extract<StartReason, { rule: "second_reviewer" }> }
  | { who: "person"; reason: Extract<BlockReason, { rule: "human_gate" }> };

/** The first missing approval; undefined if none is missing. A person's approval replaces all others. */
export function stillNeeded(
  { criticality = "medium", settings }: Opening,
  submission: SubmissionRecord,
): Needed | undefined {
  const { review, reviews } = submission;
  if (!review || review.by === "person") return undefined;
  const approvals = reviews.filter(({ by, verdict }) => by === "reviewer" && verdict === "approve").length;
  const reviewers = settings.reviewers[criticality] ?? 1;
  if (approvals < reviewers) {
    return { who: "reviewer", reason: { rule: "second_reviewer", approvals, reviewers, criticality } };
  }
  const gate = { rule: "human_gate", submission: submission.submission } as const;
  if (isHumanGate(settings, criticality)) {
    return { who: "person", reason: { ...gate, criticality } };
  }
  const paths = gatedPaths(settings, submission);
  if (paths.length > 0) return { who: "person", reason: { ...gate, protected: paths } };
  const approving = reviews.filter(({ by, verdict }) => by === "reviewer" && verdict === "approve");
  const unclear = unclearCriteria(approving.flatMap(({ criteria = [] }) => criteria));
  if (unclear.length > 0) return { who: "person", reason: { ...gate, criteria: unclear } };
  const unresolved = [...new Set(approving.flatMap((one) => one.unresolved ?? []))];
  if (unresolved.length > 0) return { who: "person", reason: { ...gate, findings: unresolved } };
  const proved = provedBy(
    submission.trial,
    approving.flatMap(({ criteria = [] }) => criteria),
  );
  return proved && { who: "person", reason: { ...gate, ...proved } };
}

/** Results of the trial that need a person: no answer of a Reviewer settles them. */
function provedBy(
  trial: SubmissionRecord["trial"],
  criteria: readonly Criterion[],
): Pick<Extract<BlockReason, { rule: "human_gate" }>, "tests" | "notCrossed" | "unguarded"> | undefined {
  if (!trial) return undefined;
  const { crossing } = trial;
  const broken = crossing.found.filter(({ result, excused }) => result === "weakened" && !excused);
  if (broken.length > 0) return { tests: [...new Set(broken.flatMap(({ files }) => files))] };
  if (crossing.result === "time" || crossing.result === "no_setup") return { notCrossed: true };
  return trial.unguarded && sharesEvidence(criteria) ? { unguarded: true } : undefined;
}

/** Whether several criteria have a single piece of evidence: normally each has its own, and these have hardly been checked. */
function sharesEvidence(criteria: readonly Criterion[]): boolean {
  const evidence = new Set(criteria.map(({ command, file, line }) => command ?? `${file}:${line}`));
  return new Set(criteria.map(({ criterion }) => criterion)).size > 1 && evidence.size === 1;
}

/** The number of criteria that one command is all the evidence for; 0 if each has its own. */
export function sharedCommand(criteria: readonly Criterion[]): number {
  const isShared = sharesEvidence(criteria) && criteria[0]?.command !== undefined;
  return isShared ? new Set(criteria.map(({ criterion }) => criterion)).size : 0;
}

/** Whether a person must approve all work of this criticality. */
export function isHumanGate(
  { gates }: Pick<Settings, "gates">,
  criticality: Issue["criticality"] = "medium",
): boolean {
  return gates[criticality] === "human";
}

/** Changed paths that decide about the work and that the contract does not allow; an overflow of the list counts as one. */
export function gatedPaths(
  { gates }: Pick<Settings, "gates">,
  { tampered, inspection }: SubmissionRecord,
): string[] {
  if (gates.protected === "reviewer") return [];
  const changed = (inspection?.protected ?? []).filter(
    ({ kind, allowed }) => gatedKinds.includes(kind) && !allowed,
  );
  const more = inspection?.more;
  return [
    ...tampered.filter((part) => part !== "monoco.yaml").map((part) => t`the contract (${part})`),
    ...changed.map(({ path }) => path),
    ...(more && more.protected + more.weakened > 0 ? [t`more places than are listed`] : []),
  ];
}

/** The protected kinds for a person: monoco's settings, CI, programs that checks run, and files that decide which code of others runs with them. */
const gatedKinds: readonly ProtectedKind[] = [
  "settings",
  "ci",
  "command",
  "lifecycle",
  "startup",
  "registry",
  "vendored",
  "link",
];

/** The numbers of criteria that could not be verified, or whose evidence does not reproduce or supports nothing. */
export function unclearCriteria(criteria: readonly Criterion[]): number[] {
  const numbers = [...new Set(criteria.map(({ criterion }) => criterion))];
  return numbers.filter((number) => {
    const all = criteria.filter(({ criterion }) => criterion === number);
    const supported = all.map(({ supports }) => supports);
    return (
      all.some(({ result, reproduced }) => result === "not_verifiable" || reproduced === false) ||
      (supported.includes(false) && !supported.includes(true))
    );
  });
}
