/** Keeps the uncommitted work of the submodules of a clone, and of the linked worktrees that lie in it. */
import { realpathSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { MonocoError } from "../../core/error/error.ts";
import { reflogBytesMax } from "../../core/limits.ts";
import { fileText, gitDirsBelow } from "../folders.ts";
import { gitAt, gitIn, gitOr } from "../git.ts";
import { refPath, refs } from "../refs.ts";
import { commitOf } from "../repository.ts";
import type { Repository } from "../repository.ts";
import { keepTree, snapshotFolder, takeSnapshot } from "../snapshot.ts";
import type { Beside } from "../snapshot.ts";
import { linkedGitDirs } from "../worktrees.ts";
import type { FetchFrom } from "./fetch-session.ts";
import { keeperOf } from "./module-work.ts";

/** `to`: the person's git directory that keeps it, at this `place` below a ref. */
type Inner = { folder: string; gitDir: string; to: string; place: string };

/**
 * Keeps the work under `refs/monoco/ID/sessions/N/uncommitted/`, once the commits are fetched and the settings restored. No git
 * runs in these folders: the `.git` of each may lead to another repository. What git cannot read stays in its folder.
 */
export async function keepUncommitted(
  lender: Pick<Repository, "root" | "commonDir">,
  from: FetchFrom,
  beside: Partial<Beside> = {},
): Promise<void> {
  const own = { own: snapshotFolder(from.workspace), ignored: "", except: new Set<string>() };
  for (const { folder, gitDir, to, place } of await innerOf(lender, from.workspace)) {
    const git = gitAt(to, from.workspace);
    const head = headIn(gitDir);
    const path = pathIn(from.workspace, folder);
    if (!head || path === undefined || !(await commitOf(git, head))) continue;
    try {
      const person = { root: lender.root, commonDir: to };
      const { tree } = await takeSnapshot(person, folder, head, { ...beside, persons: own });
      const ref = `${refs.session(from.issue, from.session)}/uncommitted/${refPath(place)}`;
      const message = `Uncommitted work of ${from.issue} session ${from.session} in ${path}`;
      if (tree) await keepTree(git, { tree, parents: [head], ref, message });
    } catch (error) {
      if (!(error instanceof MonocoError) || beside.stop?.aborted) throw error;
    }
  }
}

async function innerOf({ root, commonDir }: Pick<Repository, "root" | "commonDir">, workspace: string) {
  const own = join(workspace, ".git");
  const inner: Inner[] = [];
  for (const gitDir of gitDirsBelow(own, "modules")) {
    const config = join(gitDir, "config");
    // Git would wait at a pipe.
    const asked = ["config", "--file", config, "core.worktree"];
    const folder = fileText(config, reflogBytesMax) && (await gitOr(gitIn(root)(asked), "")).trim();
    const place = relative(own, gitDir);
    if (folder !== "")
      inner.push({ folder: resolve(gitDir, folder), gitDir, to: keeperOf(commonDir, place), place });
  }
  for (const { gitDir, folder } of linkedGitDirs(own))
    inner.push({ folder, gitDir, to: commonDir, place: `worktrees/${basename(gitDir)}` });
  return inner;
}

/** The commit of HEAD: its own, or on a branch the last one of its reflog. */
function headIn(gitDir: string): string | undefined {
  const text = (name: string): string => fileText(join(gitDir, name), reflogBytesMax);
  const last = text("logs/HEAD").trimEnd().split("\n").at(-1) ?? "";
  return /^[0-9a-f]{40,64}$/.exec(text("HEAD").trim())?.[0] ?? /^\w+ ([0-9a-f]{40,64}) /.exec(last)?.[1];
}

/** The path of a folder in the clone; undefined if it leads elsewhere. */
function pathIn(workspace: string, folder: string): string | undefined {
  const path = attempt(() => relative(realpathSync(workspace), realpathSync(folder)), "");
  return path === "" || /^(?:\.\.|\.git)(?:\/|$)/.test(path) ? undefined : path;
}
