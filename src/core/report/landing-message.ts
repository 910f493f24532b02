/** The message of the commit that lands a submission: the issue's title, and trailers that lead back to the journal. */
import { oneLine } from "../text/one-line.ts";
import { visible } from "../text/sanitize.ts";
import type { Opening, SubmissionRecord } from "../journal/relay-state.ts";

/** A title is people's or an agent's: on one line it can be no paragraph of trailers. */
export function landingSubject({ issue, title }: Opening): string {
  return visible(`${issue}: ${oneLine(title, 200)}`);
}

/** `Name: value`, a line each: which submission, who approved it, and the journal's last hash when that was known. */
export function landingTrailers(
  { issue, sessions }: Opening,
  record: SubmissionRecord,
  journalHead: string,
): string[] {
  const { review } = record;
  const reviewer = review?.by === "person" ? "person" : `session ${review?.session ?? "?"}`;
  const containment = sessions.at(-1)?.started.containment ?? "process-group";
  return [
    `Monoco-Issue: ${issue}`,
    `Monoco-Submission: ${record.submission} ${record.head}`,
    `Monoco-Reviewer: ${reviewer}`,
    `Monoco-Journal: ${journalHead}`,
    `Monoco-Sandbox: none (${containment})`,
  ];
}

export function landingMessage(subject: string, trailers: readonly string[]): string {
  return [subject, "", ...trailers, ""].join("\n");
}
