/** The issues of this worktree for a list, each with its relay's phase, and the files that cannot be read. */
import { existsSync } from "node:fs";
import { byId, worksOf } from "../core/backlog/backlog.ts";
import { MonocoError } from "../core/error/error.ts";
import { faultError } from "../core/error/fault.ts";
import { checkFilter, fits, listedAs } from "../core/backlog/list.ts";
import type { IssueFilter, ListedIssue } from "../core/backlog/list.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { replay } from "../core/journal/state.ts";
import { idOfName } from "../store/issue-folder.ts";
import { issueCards } from "../store/issues/issue-cards.ts";
import type { IssueCards } from "../store/issues/issue-cards.ts";
import { viewJournal } from "../store/journal-view.ts";
import { cardsOfFiles, repositoryPlaces } from "../store/places.ts";
import { io } from "../io/io.ts";
import { systemClock } from "../relay/clock.ts";
import { mayHaveRelay, placesFor } from "./here.ts";
import type { Here } from "./here.ts";

/** `texts`: read the texts, too. */
type Wanted = { texts?: boolean };

export type Listed = { issues: ListedIssue[]; broken: MonocoError[] };

/** Filters as a command line has them: values separated by commas, and words. */
export type FilterFlags = {
  [key in "status" | "stage" | "type" | "tag" | "parent" | "priority" | "criticality"]?: string;
} & {
  ready?: boolean;
};

/** The issues that fit. Throws `input` for a filter that no issue can fit. */
export async function issuesThatFit(
  here: Here,
  keywords: readonly string[],
  flags: FilterFlags,
): Promise<Listed> {
  const { issues, texts, broken } = await listedIssues(here, { texts: keywords.length > 0 });
  const filter = filterOf(keywords, flags);
  checkFilter(filter, issues);
  return { issues: issues.filter((issue) => fits(issue, texts.get(issue.path) ?? "", filter)), broken };
}

function filterOf(keywords: readonly string[], flags: FilterFlags): IssueFilter {
  const lists = (["status", "stage", "type", "tag", "parent", "priority", "criticality"] as const).flatMap(
    (key) => (flags[key] === undefined ? [] : [[key, flags[key].split(",").map((word) => word.trim())]]),
  );
  return { ...Object.fromEntries(lists), ready: flags.ready ?? false, keywords };
}

export async function listedIssues(
  here: Here,
  wanted: Wanted = {},
): Promise<Listed & { texts: Map<string, string> }> {
  const read = await cardsHere(here, wanted);
  const broken = [
    ...read.unread
      .filter(({ path }) => idOfName(path) !== undefined)
      .map(({ path, fault }) => faultError(fault, path)),
    ...read.broken.map(({ error }) => error),
  ];
  const works = byId(worksOf(read.issues.map(({ card }) => card)));
  const hasRelay = mayHaveRelay(here);
  const issues: ListedIssue[] = [];
  for (const { path, card } of read.issues) {
    try {
      const state = hasRelay(card.id) ? stateOf(here, card.id) : undefined;
      issues.push(listedAs(card, { path, works, state }));
    } catch (error) {
      if (!(error instanceof MonocoError)) throw error;
      broken.push(error);
      issues.push(listedAs(card, { path, works, state: undefined }));
    }
  }
  return { issues, broken, texts: new Map(read.issues.map(({ path, text }) => [path, text ?? ""])) };
}

/** The cards of this worktree. */
export function cardsHere({ repository }: Here, { texts = false }: Wanted = {}): Promise<IssueCards> {
  const places = repositoryPlaces(repository.root, io().env);
  const cache = cardsOfFiles(places, repository.worktree);
  return issueCards(repository.worktree, { cache, texts, nowMs: systemClock.nowMs() });
}

function stateOf(here: Here, id: string): RelayState | undefined {
  const { journal } = placesFor(here, id);
  return existsSync(journal) ? replay(viewJournal(journal)) : undefined;
}
