/** The issues of this worktree as they are listed, each with its relay's phase, and the files that cannot be read. */
import { existsSync } from "node:fs";
import { worksOf } from "../core/backlog/backlog.ts";
import type { ReadIssue } from "../core/backlog/lint.ts";
import { MonocoError } from "../core/error/error.ts";
import { faultError } from "../core/error/fault.ts";
import { checkFilter, fits, listedAs } from "../core/backlog/list.ts";
import type { IssueFilter, ListedIssue } from "../core/backlog/list.ts";
import { parseIssue } from "../core/issue/issue.ts";
import type { RelayState } from "../core/journal/relay-state.ts";
import { replay } from "../core/journal/state.ts";
import { idOf, idOfName, listIssueFiles } from "../store/issue-folder.ts";
import { viewJournal } from "../store/journal-view.ts";
import { placesFor } from "./here.ts";
import type { Here } from "./here.ts";

export type Listed = { issues: ListedIssue[]; broken: MonocoError[] };

/** As a command line names them: values with commas between, and words. */
export type FilterFlags = {
  [key in "status" | "stage" | "type" | "tag" | "parent" | "priority" | "criticality"]?: string;
} & {
  ready?: boolean;
};

/** Throws `input` for a filter that nothing can fit. */
export function issuesThatFit(here: Here, words: readonly string[], flags: FilterFlags): Listed {
  const { issues, texts, broken } = listedIssues(here);
  const filter = filterOf(words, flags);
  checkFilter(filter, issues);
  return { issues: issues.filter((issue) => fits(issue, texts.get(issue.path) ?? "", filter)), broken };
}

function filterOf(words: readonly string[], flags: FilterFlags): IssueFilter {
  const lists = (["status", "stage", "type", "tag", "parent", "priority", "criticality"] as const).flatMap(
    (key) => (flags[key] === undefined ? [] : [[key, flags[key].split(",").map((word) => word.trim())]]),
  );
  return { ...Object.fromEntries(lists), ready: flags.ready ?? false, words };
}

export function listedIssues(here: Here): Listed & { texts: Map<string, string> } {
  const { files, unread } = listIssueFiles(here.repository.worktree);
  const broken = unread
    .filter(({ path }) => idOfName(path) !== undefined)
    .map(({ path, fault }) => faultError(fault, path));
  const read: ReadIssue[] = [];
  for (const { path, text } of files.filter((file) => idOf(file) !== undefined)) {
    try {
      read.push({ path, text, issue: parseIssue(text, path) });
    } catch (error) {
      if (!(error instanceof MonocoError)) throw error;
      broken.push(error);
    }
  }
  const works = worksOf(read.map(({ issue }) => issue));
  const issues: ListedIssue[] = [];
  for (const { path, issue } of read) {
    try {
      issues.push(listedAs(issue, { path, works, state: stateOf(here, issue.id) }));
    } catch (error) {
      if (!(error instanceof MonocoError)) throw error;
      broken.push(error);
      issues.push(listedAs(issue, { path, works, state: undefined }));
    }
  }
  return { issues, broken, texts: new Map(read.map(({ path, text }) => [path, text])) };
}

function stateOf(here: Here, id: string): RelayState | undefined {
  const { journal } = placesFor(here, id);
  return existsSync(journal) ? replay(viewJournal(journal)) : undefined;
}
