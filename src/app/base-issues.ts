/** The issues of the base branch, as the relays go by them: each read, or told why it cannot be. */
import { existsSync } from "node:fs";
import { unlessRefused } from "../core/error/attempt.ts";
import { worksOf } from "../core/backlog/backlog.ts";
import type { Work } from "../core/backlog/backlog.ts";
import type { ReadIssue } from "../core/backlog/lint.ts";
import { MonocoError } from "../core/error/error.ts";
import { keyLine } from "../core/text/front-matter.ts";
import { parseIssue } from "../core/issue/issue.ts";
import { phaseOf } from "../core/relay/phase.ts";
import type { Phase } from "../core/relay/phase.ts";
import { replay } from "../core/journal/state.ts";
import { issueFilesAt } from "../git/issues.ts";
import { commitOf } from "../git/repository.ts";
import { idOf } from "../store/issue-folder.ts";
import { readJournal } from "../store/journal.ts";
import { placesFor } from "./here.ts";
import type { Here } from "./here.ts";
import { t } from "../core/language/translate.ts";

export type BaseIssues = {
  /** By id. */
  sound: Map<string, ReadIssue>;
  /** By id: what keeps it from being read. */
  broken: Map<string, MonocoError>;
};

/** Throws `input` if the branch does not exist. */
export async function issuesOnBase(here: Here, base: string): Promise<BaseIssues> {
  const { git } = here.repository;
  const ref = `refs/heads/${base}`;
  if ((await commitOf(git, ref)) === undefined) {
    throw new MonocoError("input", t`branch ${base} does not exist or has no commit`, {
      hint: t`make a first commit, or name your branch in monoco.yaml: base: NAME`,
    });
  }
  const all: BaseIssues = { sound: new Map(), broken: new Map() };
  for (const { path, text } of await issueFilesAt(git, ref)) {
    const id = idOf({ path, text });
    if (id === undefined) continue;
    const other = all.sound.get(id)?.path;
    try {
      const issue = parseIssue(text, path);
      if (issue.id !== id) throw otherId(id, { path, text, issue });
      if (other !== undefined) throw twice(id, [other, path]);
      if (!all.broken.has(id)) all.sound.set(id, { path, text, issue });
    } catch (error) {
      if (!(error instanceof MonocoError)) throw error;
      all.sound.delete(id);
      all.broken.set(id, error);
    }
  }
  return all;
}

function otherId(id: string, { path, text, issue }: ReadIssue): MonocoError {
  return new MonocoError("input", t`${path}:${keyLine(text, "id")}: its id is ${issue.id}, not ${id}`, {
    hint: t`the file's name and the id in it must be the same: fix one of them, and commit that`,
  });
}

function twice(id: string, paths: readonly string[]): MonocoError {
  return new MonocoError("input", t`${id} is in ${paths.length} files: ${paths.join(", ")}`, {
    hint: t`monoco issue lint --fix gives the younger one a new id; commit that`,
  });
}

/** What cannot be read is there all the same, for those that wait for it. */
export function worksOnBase({ sound, broken }: BaseIssues): Work[] {
  const unread = [...broken.keys()].map((id): Work => ({ id, needs: [], stands: "open" }));
  return [...worksOf([...sound.values()].map(({ issue }) => issue)), ...unread];
}

/** The phase of its relay, where one is open: what its contract was then is pinned, and it waits for nobody any more. */
export function openPhase(here: Here, id: string): Phase | undefined {
  const { journal } = placesFor(here, id);
  if (!existsSync(journal)) return undefined;
  // A damaged journal is told where the relay is opened.
  const phase = unlessRefused(() => phaseOf(replay(readJournal(journal))));
  return phase === "none" || phase === "done" ? undefined : phase;
}
