/** The message of a landing commit: the issue's title, and trailers that lead back to the journal. */
import { inspectionLines, weakeningsListedMax } from "../review/inspection.ts";
import { unguardedLines } from "../trial/trial-words.ts";
import { oneLine } from "../text/one-line.ts";
import { visible } from "../text/sanitize.ts";
import { heldBy, isSandbox, networkOf, sandboxName } from "./sandbox.ts";
import type { Via } from "../journal/events/fields.ts";
import type { NetworkMode } from "../settings/network.ts";
import type { Opening, SubmissionRecord } from "../journal/relay-state.ts";

/** The subject on one line: a title comes from a person or an agent, and must not add trailers. */
export function landingSubject({ issue, title }: Opening): string {
  return visible(`${issue}: ${oneLine(title, 200)}`);
}

/** Who did a part of the work, by its own words: an agent reports its model itself. */
type Worker = { agent: string; model?: string | undefined };

/** Who approved; `by` is `person` or `reviewer`. */
export type Approver = {
  by: string;
  session?: number | undefined;
  agent?: string | undefined;
  model?: string | undefined;
  /** Who a person said to be that approved from elsewhere. */
  via?: Via | undefined;
};

/** The facts of a landing that its commit's trailers state. */
export type Landing = {
  issue: string;
  submission: number;
  head: string;
  /** The Executors' agents, in the order in which they first worked; empty if a person did all of it. */
  executors: Worker[];
  reviewer: Approver;
  /** Who approved the merged tree, where that was asked. */
  confirmed?: Approver | undefined;
  /** The hash of the journal's last line when the commit was made. */
  journal: string;
  sandbox: { containment: string; network: NetworkMode };
  coAuthors: string[];
};

export function landingOf(opening: Opening, record: SubmissionRecord, journalHead: string): Landing {
  const { sessions, settings } = opening;
  const { submission, head, review, confirmations } = record;
  const worked = sessions.filter(({ role }) => role === "executor");
  const last = confirmations.at(-1);
  return {
    issue: opening.issue,
    submission,
    head,
    executors: [...new Map(worked.map((one) => [agentWords(one), workerOf(one)])).values()],
    reviewer: approverOf(opening, review),
    ...(last && { confirmed: approverOf(opening, last) }),
    journal: journalHead,
    sandbox: { containment: heldBy(opening).containment, network: networkOf(opening) },
    coAuthors: [...new Set(worked.flatMap(({ agent }) => settings.agents[agent]?.coAuthor ?? []))],
  };
}

const workerOf = ({ agent, model }: Worker): Worker => ({ agent, ...(model !== undefined && { model }) });

function approverOf({ sessions }: Opening, review: SubmissionRecord["review"]): Approver {
  if (review?.by === "person") return { by: "person", ...(review.via && { via: review.via }) };
  const record = sessions.find(({ session }) => session === review?.session);
  return { by: "reviewer", session: review?.session, ...(record && workerOf(record)) };
}

/** `Name: value` lines: the submission, the agents, its approver, and the journal's last hash if known. */
export function landingTrailers(opening: Opening, record: SubmissionRecord, journalHead: string): string[] {
  return trailersOf(landingOf(opening, record, journalHead));
}

export function trailersOf(landing: Landing): string[] {
  const { executors, confirmed, sandbox } = landing;
  return [
    `Monoco-Issue: ${landing.issue}`,
    `Monoco-Submission: ${landing.submission} ${landing.head}`,
    ...(executors.length === 0 ? [] : [`Monoco-Executor: ${executors.map(agentWords).join(", ")}`]),
    `Monoco-Reviewer: ${approverWords(landing.reviewer)}`,
    ...(confirmed ? [`Monoco-Confirmed: on the merged tree by ${approverWords(confirmed)}`] : []),
    `Monoco-Journal: ${landing.journal}`,
    `Monoco-Sandbox: ${isSandbox(sandbox.containment) ? sandboxName(sandbox) : `none (${sandbox.containment})`}`,
    ...landing.coAuthors.map((author) => `Co-authored-by: ${author}`),
  ];
}

export function approverWords({ by, session, agent, model, via }: Approver): string {
  if (by === "person")
    return via === undefined ? by : `${by} (${visible(oneLine(via.who, 100))}, by ${via.by})`;
  return `session ${session ?? "?"}${agent === undefined ? "" : `, ${agentWords({ agent, model })}`}`;
}

/** A model's name may hold anything. */
function agentWords({ agent, model }: Worker): string {
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
