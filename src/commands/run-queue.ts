/** What `monoco run` takes next: the issues that were named, or the open ones of the backlog, each when its dependencies are done. */
import { existsSync } from "node:fs";
import { nextOf } from "../core/backlog.ts";
import type { Progress, Work } from "../core/backlog.ts";
import { MonocoError } from "../core/error.ts";
import { parseIssue } from "../core/issue.ts";
import type { Issue } from "../core/issue.ts";
import { isOver } from "../core/standing.ts";
import { replay } from "../core/state.ts";
import { idOf, listIssueFiles } from "../store/issue-folder.ts";
import { readJournal } from "../store/journal.ts";
import { placesFor } from "./here.ts";
import type { Here } from "./here.ts";

export type RunQueue = {
  /** The next issue, once there is one; undefined when nothing is left that could be run. */
  take(): Promise<string | undefined>;
  ended(id: string, exitCode: number): void;
  /** What could not be begun, and why, in words. */
  left(): string[];
};

/** One after the other, as they were named. */
export function listOf(ids: readonly string[]): RunQueue {
  if (ids.length === 0) {
    throw new MonocoError("input", "which issue? No id was given", {
      hint: "monoco run FEAT-0001, or monoco run --all for the whole backlog",
    });
  }
  const waiting = [...ids];
  return { take: async () => waiting.shift(), ended: () => undefined, left: () => [] };
}

/** The open issues of this worktree, or those of them that are `named`. A dependency outside of it has to be closed. */
export function backlogOf(here: Here, named: readonly string[]): RunQueue {
  const backlog = issuesOf(here).map((issue): Work & { runs: boolean } => ({
    id: issue.id,
    priority: issue.priority,
    dependencies: issue.dependencies,
    done: issue.status === "closed" || isDone(here, issue.id),
    runs: issue.status === "open" && issue.stage !== "freezed" && issue.type !== "epic",
  }));
  const progress = new Map<string, Progress>();
  // What is not run here is nobody's to wait for.
  for (const { id, done, runs } of backlog) {
    if (!done && (!runs || (named.length > 0 && !named.includes(id)))) progress.set(id, "failed");
  }
  // A cycle is told before anything is run.
  nextOf(backlog, progress);
  let changed = Promise.withResolvers<void>();
  const begun = (): ReturnType<typeof nextOf> => nextOf(backlog, progress);
  return {
    take: async () => {
      for (;;) {
        const next = begun();
        if ("start" in next) {
          progress.set(next.start, "running");
          return next.start;
        }
        if ("blocked" in next) return undefined;
        await changed.promise;
      }
    },
    ended: (id, exitCode) => {
      progress.set(id, exitCode === 0 ? "done" : "failed");
      changed.resolve();
      changed = Promise.withResolvers();
    },
    left: () => {
      const next = begun();
      return "blocked" in next
        ? next.blocked.map(({ id, by }) => `${id}  was not begun: it waits for ${by.join(", ")}`)
        : [];
    },
  };
}

function issuesOf(here: Here): Issue[] {
  const { files } = listIssueFiles(here.repository.worktree);
  return files.filter((file) => idOf(file) !== undefined).map(({ text, path }) => parseIssue(text, path));
}

/** Merged, though the file of this worktree may not say so yet. */
function isDone(here: Here, id: string): boolean {
  const { journal } = placesFor(here, id);
  return existsSync(journal) && isOver(replay(readJournal(journal)));
}
