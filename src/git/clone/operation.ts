/** Finds the git operation that a session left unfinished in its clone, and the unmerged paths. */
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { unmergedPathsMax } from "../../core/limits.ts";
import type { Operation, Unfinished } from "../../core/exit/unfinished.ts";
import { gitOr, zeroed } from "../git.ts";
import type { Git } from "../git.ts";

/** Each operation with its file in `.git`, and the file that names its commit: see gitrepository-layout(5). */
const marks: readonly [Operation, at: string, commit?: string][] = [
  ["am", "rebase-apply/applying"],
  ["rebase", "rebase-apply/onto", "rebase-apply/onto"],
  ["rebase", "rebase-merge/onto", "rebase-merge/onto"],
  ["merge", "MERGE_HEAD", "MERGE_HEAD"],
  ["cherry-pick", "CHERRY_PICK_HEAD", "CHERRY_PICK_HEAD"],
  ["revert", "REVERT_HEAD", "REVERT_HEAD"],
  ["bisect", "BISECT_START", "BISECT_HEAD"],
];

/** Undefined if nothing is unfinished. `git` runs in the person's repository and reads only the clone's index. */
export async function unfinishedIn(git: Git, workspace: string): Promise<Unfinished | undefined> {
  const own = join(workspace, ".git");
  const mark = marks.find(([, at]) => isFile(join(own, at))) ?? pickedOn(own);
  const commit = mark?.[2] && /^[0-9a-f]{40,64}/.exec(textOf(join(own, mark[2])))?.[0];
  const unmerged = isFile(join(own, "index")) ? await unmergedIn(git, join(own, "index")) : [];
  if (!mark && unmerged.length === 0) return undefined;
  const todo = textOf(join(own, "rebase-merge/git-rebase-todo")).split("\n");
  const runs = todo.flatMap((line) => /^(?:x|exec) (.*)/.exec(line)?.[1] ?? []);
  return {
    ...(mark && { operation: mark[0] }),
    ...(commit === undefined ? {} : { commit }),
    unmerged: unmerged.slice(0, unmergedPathsMax),
    ...(runs.length > 0 && { runs: runs.slice(0, unmergedPathsMax) }),
  };
}

/** The operation between two commits of a row that is picked or reverted: git has begun none of them. */
function pickedOn(own: string): (typeof marks)[number] | undefined {
  const next = /^(pick|revert) /m.exec(textOf(join(own, "sequencer/todo")))?.[1];
  return next === undefined ? undefined : [next === "pick" ? "cherry-pick" : "revert", "sequencer/todo"];
}

async function unmergedIn(git: Git, index: string): Promise<string[]> {
  const listed = await gitOr(
    git(["ls-files", "--unmerged", "-z", "--full-name"], { env: { GIT_INDEX_FILE: index } }),
    "",
  );
  return [...new Set(zeroed(listed).map((entry) => entry.slice(entry.indexOf("\t") + 1)))];
}

/** False also below a file. */
const isFile = (path: string): boolean =>
  attempt(() => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true, false);

const textOf = (path: string): string =>
  isFile(path) ? attempt(() => readFileSync(path, "latin1"), "") : "";
