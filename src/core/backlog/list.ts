/** The rows of `issue list`: the status, relay and open needs of each issue, and the filter over them. */
import { missingOf } from "./backlog.ts";
import { rankOf } from "../issue/priority.ts";
import { priorityWords } from "../issue/priority.ts";
import type { Work } from "./backlog.ts";
import { MonocoError } from "../error/error.ts";
import { issueIdPattern } from "../issue/name.ts";
import { criticalities, issueTypes, stages, statuses } from "../issue/vocabulary.ts";
import type { Stage, Status } from "../issue/vocabulary.ts";
import type { Card } from "../issue/card.ts";
import type { Opening, RelayState } from "../journal/relay-state.ts";
import { currentSubmission, isApproved, phaseOf, submissionDue } from "../relay/phase.ts";
import type { Phase } from "../relay/phase.ts";
import { t } from "../language/translate.ts";

/** The schema of `issue list --json`, one issue. */
export type ListedIssue = {
  id: string;
  path: string;
  title: string;
  status: Status;
  stage: Stage;
  type: string;
  priority: string | null;
  criticality: string | null;
  tags: string[];
  parent: string | null;
  dependencies: string[];
  /** Dependencies and children that are not done. */
  waitsFor: string[];
  /** Whether it is open, not frozen, and waits for nothing. */
  ready: boolean;
  /** The phase of its relay; null without a relay. */
  relay: Phase | null;
};

/** One issue of `works` as a row. The state of an open relay replaces the status of the file. */
export function listedAs(
  issue: Card,
  { path, works, state }: { path: string; works: ReadonlyMap<string, Work>; state: RelayState | undefined },
): ListedIssue {
  const phase = state ? phaseOf(state) : "none";
  const open = !["none", "done", "cancelled"].includes(phase);
  const { status, stage } = open && state?.opening ? standingOf(state.opening) : issue;
  const work = works.get(issue.id);
  const missing = status === "closed" || !work ? [] : Object.values(missingOf(works, work)).flat();
  return {
    id: issue.id,
    path,
    title: issue.title,
    status,
    stage,
    type: issue.type,
    priority: issue.priority ?? null,
    criticality: issue.criticality ?? null,
    tags: issue.tags,
    parent: issue.parent ?? null,
    dependencies: issue.dependencies,
    waitsFor: missing,
    ready: status === "open" && stage !== "freezed" && missing.length === 0,
    relay: phase === "none" ? null : phase,
  };
}

/** The status and stage of an open relay. The file is behind: it changes only with the merge. */
function standingOf(opening: Opening): { status: Status; stage: Stage } {
  const submission = currentSubmission(opening);
  const up = submission && !submission.outcome && (!submission.review || isApproved(submission));
  // Work that is left in an open pull request is under review there.
  const isUp = up || submissionDue(opening) || opening.finished;
  return { status: "open", stage: isUp ? "review" : "doing" };
}

/** The criteria of a filter: an issue must meet all of them, with any value of each list. */
export type IssueFilter = {
  status?: readonly string[];
  stage?: readonly string[];
  type?: readonly string[];
  tag?: readonly string[];
  parent?: readonly string[];
  priority?: readonly string[];
  criticality?: readonly string[];
  ready?: boolean;
  /** Words that must all occur in the file. */
  keywords?: readonly string[];
};

const legal = { status: statuses, stage: stages, type: issueTypes, criticality: criticalities } as const;

/** Throws `input` for a value that no issue can have; the hint lists the possible values. */
export function checkFilter(filter: IssueFilter, issues: readonly ListedIssue[]): void {
  for (const key of ["status", "stage", "type", "criticality"] as const)
    refuseUnknown(key, filter[key], legal[key]);
  const own = issues.flatMap(({ priority }) => (priority === null ? [] : [priority.toLowerCase()]));
  refuseUnknown("priority", filter.priority, [...new Set([...priorityWords, ...own])]);
  for (const parent of (filter.parent ?? []).filter((id) => !issueIdPattern.test(id))) {
    throw new MonocoError("input", t`${JSON.stringify(parent.slice(0, 80))} is not an issue's id`, {
      hint: t`a parent is named by its id, like EPIC-0001`,
    });
  }
}

function refuseUnknown(key: string, given: readonly string[] = [], allowed: readonly string[]): void {
  const wrong = given.find((value) => !allowed.includes(value.toLowerCase()));
  if (wrong === undefined) return;
  throw new MonocoError("input", t`unknown ${key} ${JSON.stringify(wrong.slice(0, 80))}`, {
    hint: t`one of ${allowed.join(", ")}; several with commas`,
  });
}

export function fits(issue: ListedIssue, text: string, filter: IssueFilter): boolean {
  const isOne = (value: string | null, among: readonly string[] | undefined): boolean =>
    among === undefined || (value !== null && among.some((one) => one.toLowerCase() === value.toLowerCase()));
  const bare = (tag: string): string => tag.replace(/^#/, "").toLowerCase();
  return (
    isOne(issue.status, filter.status) &&
    isOne(issue.stage, filter.stage) &&
    isOne(issue.type, filter.type) &&
    isOne(issue.criticality, filter.criticality) &&
    isOne(issue.parent, filter.parent) &&
    (!filter.tag || issue.tags.some((tag) => filter.tag?.map(bare).includes(bare(tag)))) &&
    (!filter.priority || filter.priority.some((word) => isPriority(issue.priority, word))) &&
    (!filter.ready || issue.ready) &&
    holds(text, filter.keywords ?? [])
  );
}

function holds(text: string, keywords: readonly string[]): boolean {
  if (keywords.length === 0) return true;
  const haystack = text.normalize("NFC").toLowerCase();
  return keywords.every((word) => haystack.includes(word.normalize("NFC").toLowerCase()));
}

/** Whether a priority means the same as `word`: p1 is high. */
function isPriority(priority: string | null, word: string): boolean {
  if (priority === null) return false;
  const [one, other] = [priority.toLowerCase(), word.toLowerCase()];
  return (
    one === other ||
    (priorityWords.includes(one) && priorityWords.includes(other) && rankOf(one) === rankOf(other))
  );
}

export const boardColumns = ["backlog", "draft", "doing", "review", "done"] as const;

/** The column of an issue on the board; a frozen issue is put off, whatever its status. */
export function columnOf({
  status,
  stage,
}: Pick<ListedIssue, "status" | "stage">): (typeof boardColumns)[number] {
  if (status === "closed") return "done";
  return status === "backlog" || stage === "freezed" ? "backlog" : stage;
}
