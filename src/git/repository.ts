/** The person's repository, from whatever folder, subdirectory or linked worktree one stands in. */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { MonocoError } from "../core/error.ts";
import { GitError, gitIn, gitOr } from "./git.ts";
import type { Git } from "./git.ts";

export type Repository = {
  /** The main worktree: `.monoco` stands here. */
  root: string;
  /** The worktree one stands in. */
  worktree: string;
  commonDir: string;
  /** git in the main worktree. */
  git: Git;
};

/** Finds the repository around `cwd`. Throws `input` outside of one, in a bare one, and without a commit. */
export async function openRepository(cwd: string): Promise<Repository> {
  const here = gitIn(cwd);
  const told = await gitOr(here(["rev-parse", "--path-format=absolute", "--git-common-dir"]), undefined);
  if (told === undefined) {
    throw new MonocoError("input", `${cwd} is not inside a git repository`, {
      hint: "cd into one, or git init",
    });
  }
  const commonDir = lineOf(told);
  const worktree = lineOf(await gitOr(here(["rev-parse", "--show-toplevel"]), ""));
  const bare =
    (await gitOr(gitIn(commonDir)(["config", "--type=bool", "core.bare"]), "false")).trim() === "true";
  if (bare || worktree === "") {
    throw new MonocoError("input", `${cwd} is in a bare repository or inside .git`, {
      hint: "run monoco in a worktree of a repository that is not bare",
    });
  }
  const root = await mainWorktree(here, { worktree, commonDir });
  await refuseUnproved(root, commonDir);
  return { root: realpathSync(root), worktree: realpathSync(worktree), commonDir, git: gitIn(root) };
}

/** A folder's name may end in a blank, but not in a line end. */
function lineOf(output: string): string {
  return output.replace(/\n$/, "");
}

/** A git directory away from its worktree (a submodule's, --separate-git-dir) does not say where that is. */
async function mainWorktree(
  here: Git,
  { worktree, commonDir }: { worktree: string; commonDir: string },
): Promise<string> {
  const own = lineOf(await here(["rev-parse", "--path-format=absolute", "--git-dir"]));
  if (own === commonDir) return worktree;
  if (basename(commonDir) === ".git") return dirname(commonDir);
  throw new MonocoError("input", `${worktree} does not know the main worktree of ${commonDir}`, {
    hint: "run monoco in the main worktree of this repository",
  });
}

/** Partial clones lose history in local clones (exit 0, objects missing); refused until proved. */
async function refuseUnproved(root: string, commonDir: string): Promise<void> {
  const partial = await gitOr(gitIn(root)(["config", "--get-regexp", "^remote\\..*\\.promisor$"]), "");
  if (partial !== "") {
    throw new MonocoError("input", `${root} is a partial clone: its objects are not all here`, {
      hint: "make a full clone: git clone without --filter",
    });
  }
  if (existsSync(join(commonDir, "shallow"))) {
    throw new MonocoError("input", `${root} is a shallow clone`, { hint: "git fetch --unshallow" });
  }
}

/** The commit that `ref` names, or undefined. */
export async function commitOf(git: Git, ref: string): Promise<string | undefined> {
  return (await gitOr(git(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]), undefined))?.trim();
}

export async function treeOf(git: Git, commit: string): Promise<string> {
  return (await git(["rev-parse", "--verify", `${commit}^{tree}`])).trim();
}

/** Where two commits parted; undefined for unrelated histories. */
export async function mergeBase(git: Git, left: string, right: string): Promise<string | undefined> {
  return (await gitOr(git(["merge-base", left, right]), undefined))?.trim();
}

export async function isAncestor(git: Git, ancestor: string, descendant: string): Promise<boolean> {
  return (await gitOr(git(["merge-base", "--is-ancestor", ancestor, descendant]), "no")) !== "no";
}

/** The text of a file in a commit; undefined where there is none. */
export async function fileAt(git: Git, commit: string, path: string): Promise<string | undefined> {
  return gitOr(git(["cat-file", "blob", `${commit}:${path}`]), undefined);
}

/** The text of the blob that `ref` names; undefined where there is none. */
export async function blobAt(git: Git, ref: string): Promise<string | undefined> {
  return gitOr(git(["cat-file", "blob", ref]), undefined);
}

/** The name and mail that commits are made with; monoco's own where the person has none. */
export async function identityOf(git: Git): Promise<{ name: string; email: string }> {
  const name = (await gitOr(git(["config", "user.name"]), "")).trim() || "monoco";
  const email = (await gitOr(git(["config", "user.email"]), "")).trim() || "monoco@localhost";
  return { name, email };
}

/** Creates, moves or deletes a ref, only if it still is what the caller believes; "" for "must not exist". */
export async function moveRef(git: Git, ref: string, to: string, expected?: string): Promise<boolean> {
  try {
    await git(["update-ref", ref, to, ...(expected === undefined ? [] : [expected])]);
    return true;
  } catch (error) {
    // Without an expectation there is nothing to lose: a ref that cannot be moved (a stale lock) is an error.
    if (error instanceof GitError && expected !== undefined) return false;
    throw error;
  }
}
