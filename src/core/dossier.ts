/** The dossier of a submission: all that its merge rests on, as Markdown, for a person, a pull request or an issue's page. */
import { inspectionLines } from "./inspection.ts";
import { plainLine, visible } from "./plain.ts";
import { fence, findingsText } from "./prompt.ts";
import type { RelayState, SubmissionRecord } from "./relay-state.ts";
import type { Criterion, Probe } from "./verdict-schema.ts";

export type DossierInput = {
  state: RelayState;
  submission: SubmissionRecord;
  /** The contract's criteria in words, by number. */
  criteria: readonly string[];
  /** `git diff --stat` against the merge base. */
  stat: string;
  /** Where the checks' logs lie; "" leaves their places out (a page that others read). */
  logs: string;
};

/** Plain text in Markdown: what others wrote stands in fences or on one line. */
export function dossierOf(input: DossierInput): string {
  const { state, submission, criteria, stat } = input;
  const told = reviewersWords(submission);
  const by = submission.session ? `${submission.by}, session ${submission.session}` : submission.by;
  const parts = [
    `# ${state.opened?.issue ?? "?"}: submission ${submission.submission}, ${cell(state.opened?.title ?? "", 200)}`,
    `Commit ${submission.head} by ${by}. Sandbox: none.`,
    submission.tampered.length > 0
      ? `**TAMPERING: it changes ${submission.tampered.map((one) => cell(one)).join(", ")}**`
      : "",
    ...inspectionParts(submission),
    titled("Verdict", verdictText(submission)),
    titled("Criteria", criteriaTable(criteria, told?.criteria ?? [])),
    titled("Findings", findingsPart(submission, told)),
    titled("Probes", probesText(told?.probes ?? [])),
    titled("Checks", checksText(submission, input.logs)),
    titled("Rounds", roundsText(state, submission)),
    titled("Changes", stat.trim() === "" ? "" : fence(stat.trimEnd())),
  ];
  return visible(`${parts.filter((part) => part !== "").join("\n\n")}\n`);
}

function inspectionParts({ inspection }: SubmissionRecord): string[] {
  if (!inspection) return [];
  const { paths, weakened } = inspectionLines(inspection, "en");
  const list = (lines: readonly string[]): string => (lines.length === 0 ? "" : fence(lines.join("\n")));
  return [
    titled("Protected paths that it changes", list(paths)),
    titled("What may weaken tests or checks", list(weakened)),
  ];
}

function titled(title: string, body: string): string {
  return body === "" ? "" : `## ${title}\n\n${body}`;
}

function verdictText({ review, refusals, given }: SubmissionRecord): string {
  const lines = refusals.map(
    ({ session, verdict, why }) =>
      `- session ${session} said ${verdict}, which does not count:\n${why.map((one) => `  - ${cell(one, 300)}`).join("\n")}`,
  );
  if (given) lines.push(`- session ${given.session} said ${given.verdict}: not weighed yet`);
  if (!review) return [...lines, lines.length > 0 ? "" : "None yet."].join("\n").trim();
  const who =
    review.by === "reviewer" ? `the Reviewer (session ${review.session ?? "?"})` : `the ${review.by}`;
  const against = review.overrides ? `, against the Reviewer's ${review.overrides}` : "";
  const trend = review.trend ? `; ${review.trend}` : "";
  lines.push(`- **${review.verdict}** by ${who}${against}${trend}`);
  if (review.overruled) lines.push(`- ${cell(review.overruled, 300)}`);
  if (review.summary) lines.push("", fence(review.summary));
  return lines.join("\n");
}

type Told = Pick<SubmissionRecord["refusals"][0], "criteria" | "probes" | "findings" | "submission">;

/** What a Reviewer found last, if it counted or not: a person's verdict stands over it, and says nothing of criteria. */
function reviewersWords({ reviews, refusals }: SubmissionRecord): Told | undefined {
  return reviews.findLast(({ by }) => by === "reviewer") ?? refusals.at(-1);
}

/** A person's own come first. */
function findingsPart({ review, submission }: SubmissionRecord, told: Told | undefined): string {
  const own = review && review.by !== "reviewer" ? review.findings : [];
  const findings = [...own, ...(told?.findings ?? [])];
  return findings.length === 0 ? "" : fence(findingsText({ submission, findings }));
}

function criteriaTable(criteria: readonly string[], judged: readonly Criterion[]): string {
  if (criteria.length === 0) return "The issue names none.";
  const rows = criteria.map((text, index) => {
    const said = judged.filter(({ criterion }) => criterion === index + 1);
    const results = said.map(({ result }) => result.replace("_", " ")).join(", ") || "not judged";
    return `| ${index + 1} | ${cell(text)} | ${results} | ${said.map(evidenceText).join("; ")} |`;
  });
  return ["| | criterion | result | evidence |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function evidenceText(one: Criterion): string {
  const shown =
    one.command === undefined
      ? one.file && `${one.file}${one.line === undefined ? "" : `:${one.line}`}`
      : `${plainLine(one.command, 80)} (exit status ${one.exitCode ?? "?"})`;
  return [shown, one.text, reproducedText(one)].flatMap((text) => (text ? cell(text) : [])).join(", ");
}

function reproducedText({ reproduced, seen }: Pick<Criterion, "reproduced" | "seen">): string {
  if (reproduced === undefined) return "not run again";
  return reproduced ? "seen by monoco, too" : `NOT REPRODUCED: ${seen ?? ""}`;
}

function probesText(probes: readonly Probe[]): string {
  return probes
    .map(
      (probe) =>
        `- ${cell(probe.command, 200)}: exit status ${probe.exitCode}, ${cell(reproducedText(probe))}`,
    )
    .join("\n");
}

function checksText({ checks }: SubmissionRecord, logs: string): string {
  if (!checks) return "Not run yet.";
  if (checks.results.length === 0) return "None are configured.";
  return checks.results
    .map(({ command, exitCode, timedOut, log }) => {
      const end =
        exitCode === 0 ? "green" : `RED (${timedOut ? "timed out" : `exit status ${exitCode ?? "none"}`})`;
      return `- ${cell(command)}: ${end}${logs === "" ? "" : ` (${logs}/${log})`}`;
    })
    .join("\n");
}

function roundsText(state: RelayState, { submission }: SubmissionRecord): string {
  const earlier = state.submissions.filter(
    (one) => one.submission > state.submissionsBefore && one.submission < submission && one.review,
  );
  return earlier
    .map(({ submission: n, review }) => {
      const held = review!.findings.filter(({ holds }) => holds).map(({ id }) => id);
      const trend = review!.trend ? ` (${review!.trend})` : "";
      return `- submission ${n}: ${review!.verdict} by the ${review!.by}${trend}${held.length > 0 ? `: ${cell(held.join(", "))}` : ""}`;
    })
    .join("\n");
}

/** One cell of a table: nothing in it can end the cell, the row or the table, or name somebody. */
function cell(text: string, charsMax = 120): string {
  return plainLine(text, charsMax).replaceAll(/[\\|`[<@]/g, (mark) => `\\${mark}`);
}
