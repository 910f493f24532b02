/** The message of a landing commit: the issue's title, and trailers that lead back to the journal. */
import { inspectionLines, weakeningsListedMax } from "../review/inspection.ts";
import { unguardedLines } from "../trial/trial-words.ts";
import { oneLine } from "../text/one-line.ts";
import { visible } from "../text/sanitize.ts";
import { heldBy, networkOf, sandboxName } from "./sandbox.ts";
import type { Opening, SessionRecord, SubmissionRecord } from "../journal/relay-state.ts";

/** The subject on one line: a title comes from a person or an agent, and must not add trailers. */
export function landingSubject({ issue, title }: Opening): string {
  return visible(`${issue}: ${oneLine(title, 200)}`);
}

/** `Name: value` lines: the submission, the agents, its approver, and the journal's last hash if known. */
export function landingTrailers(opening: Opening, record: SubmissionRecord, journalHead: string): string[] {
  const { issue } = opening;
  const { review, confirmations } = record;
  const last = confirmations.at(-1);
  const held = heldBy(opening);
  return [
    `Monoco-Issue: ${issue}`,
    `Monoco-Submission: ${record.submission} ${record.head}`,
    ...executorsOf(opening),
    `Monoco-Reviewer: ${whoOf(opening, review)}`,
    ...(last ? [`Monoco-Confirmed: on the merged tree by ${whoOf(opening, last)}`] : []),
    `Monoco-Journal: ${journalHead}`,
    `Monoco-Sandbox: ${held.isSandbox ? sandboxName({ ...held, network: networkOf(opening) }) : `none (${held.containment})`}`,
    ...coAuthorsOf(opening),
  ];
}

/** The Executors' agents, in the order in which they first worked; none if a person did all of it. */
function executorsOf({ sessions }: Opening): string[] {
  const agents = new Set(sessions.filter(({ role }) => role === "executor").map(agentWords));
  return agents.size === 0 ? [] : [`Monoco-Executor: ${[...agents].join(", ")}`];
}

/** The Executors' agents for which the settings name an author. */
function coAuthorsOf({ sessions, settings }: Opening): string[] {
  const worked = sessions.filter(({ role }) => role === "executor");
  const named = new Set(worked.flatMap(({ agent }) => settings.agents[agent]?.coAuthor ?? []));
  return [...named].map((author) => `Co-authored-by: ${author}`);
}

function whoOf({ sessions }: Opening, review: SubmissionRecord["review"]): string {
  if (review?.by === "person") return "person";
  const record = sessions.find(({ session }) => session === review?.session);
  return `session ${review?.session ?? "?"}${record ? `, ${agentWords(record)}` : ""}`;
}

/** The agent reports its model itself, so the name may hold anything. */
function agentWords({ agent, model }: SessionRecord): string {
  return visible(oneLine(model === undefined ? agent : `${agent} (${model})`, 100));
}

/** The listed places of the diff, with the Reviewer's answers, and the changes that nothing guards. */
export function listedLines({ inspection, reviews, trial }: SubmissionRecord): string[] {
  const answers = reviews.flatMap((review) => review.answers ?? []);
  const none = { protected: [], weakened: [] };
  const { paths, weakened } = inspectionLines(inspection ?? none, "en", answers);
  const later = reviews.flatMap(({ takenBack }) => takenBack ?? []);
  const unguarded = unguardedLines(trial, later, weakeningsListedMax);
  return [...paths, ...weakened, ...unguarded].map((line) => visible(line));
}

/** `listed` goes between the subject and the trailers. */
export function landingMessage(
  subject: string,
  trailers: readonly string[],
  listed: readonly string[] = [],
): string {
  const body = listed.length > 0 ? ["Listed for the review:", "", ...listed.map((line) => line), ""] : [];
  return [subject, "", ...body, ...trailers, ""].join("\n");
}
