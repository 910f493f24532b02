/** Weighs a verdict before it counts: evidence for each criterion, its reproduction, and findings that hold back. */
import type { Verdict } from "../verdict-schema.ts";
import { againstApproval, againstRequest } from "./against.ts";
import { judgeFindings, onlyByNewFiles } from "./findings.ts";
import type { Known, Weighed } from "./known.ts";
import { judgeCriterion, triedAgain } from "./looked-at.ts";

/** The number of reasons given; a Reviewer may leave out hundreds of criteria. */
const reasonsMax = 20;

export function weigh(verdict: Verdict, known: Known): Weighed {
  const criteria = verdict.criteria
    .filter(({ criterion }) => criterion <= known.criteria.length)
    .map((criterion) => judgeCriterion(criterion, known));
  const probes = verdict.probes.map((probe) => ({ ...probe, ...triedAgain(probe, known) }));
  const ids = new Set(known.listed?.map(({ id }) => id));
  const answers = (verdict.answers ?? [])
    .filter(({ text }) => text.trim() !== "")
    .flatMap(({ id, text }) => (id.match(/[PW]\d+/gi) ?? []).map((one) => ({ id: one.toUpperCase(), text })))
    .filter(({ id }) => ids.has(id));
  const weighed = {
    criteria,
    probes,
    findings: judgeFindings(verdict, known),
    ...(answers.length > 0 && { answers }),
    ...(verdict.verdict === "approve" && unresolvedIn(known)),
  };
  const own = weighed.findings.slice(0, verdict.findings.length);
  const why =
    verdict.verdict === "approve"
      ? againstApproval({ ...weighed, findings: own }, known)
      : againstRequest(weighed.findings);
  const more = why.length - reasonsMax;
  return { ...weighed, why: more > 0 ? [...why.slice(0, reasonsMax), `… and ${more} more`] : why };
}

function unresolvedIn(known: Known): { unresolved?: string[] } {
  const ids = [...new Set(onlyByNewFiles(known).map(({ id }) => id))];
  return ids.length > 0 ? { unresolved: ids } : {};
}
