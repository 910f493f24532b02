/** Keeps a person's checkout under refs of the repository, without touching the checkout. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { gitIn, gitOr } from "../../git/git.ts";
import { refs } from "../../git/refs.ts";
import { commitOf, moveRef } from "../../git/repository.ts";
import type { Repository } from "../../git/repository.ts";
import { keepTree, takeSnapshot } from "../../git/snapshot.ts";
import { t } from "../../core/language/translate.ts";

export type Checkout = {
  head: string;
  /** The commit that keeps uncommitted work, if there is any. */
  wip?: string;
  /** Files that differ from `head`. */
  uncommitted: string[];
  leftOut: string[];
};

/**
 * Keeps the commit and the uncommitted work of `worktree` under the issue's ref. `scratch` is a temporary folder, `except`
 * names files that are not work. Throws `input` during a merge and in a sparse checkout.
 */
export async function keepCheckout(
  repository: Pick<Repository, "root" | "commonDir">,
  of: { worktree: string; issue: string; scratch: string; except: ReadonlySet<string> },
): Promise<Checkout> {
  const { worktree, issue, scratch, except } = of;
  const git = gitIn(worktree);
  const head = await commitOf(git, "HEAD");
  if (!head)
    throw new MonocoError("input", t`${worktree} has no commit`, { hint: t`git commit -m "Begin" first` });
  await refuseHalfThere(worktree);
  mkdirSync(dirname(scratch), { recursive: true });
  const exclude = join(repository.commonDir, "info", "exclude");
  const ignored = `${existsSync(exclude) ? readFileSync(exclude, "utf8") : ""}\n/.monoco/\n`;
  const { tree, uncommitted, leftOut } = await takeSnapshot(repository, worktree, head, {
    persons: { own: scratch, ignored, except },
  });
  const ref = refs.handedOver(issue);
  const message = `Uncommitted work of a person's session on ${issue}`;
  const wip = tree && (await keepTree(gitIn(repository.root), { parents: [head], ref, tree, message }));
  if (!wip) await moveRef(gitIn(repository.root), ref, head);
  return { head, ...(wip ? { wip } : {}), uncommitted, leftOut };
}

/** Throws if a snapshot would take conflict markers for work, or a sparse checkout's missing files for deleted. */
async function refuseHalfThere(worktree: string): Promise<void> {
  const git = gitIn(worktree);
  if ((await git(["ls-files", "--unmerged"])) !== "") {
    throw new MonocoError("input", t`${worktree} is in the middle of a merge`, {
      hint: t`solve its conflicts and commit, or git merge --abort; then hand over again`,
    });
  }
  if ((await gitOr(git(["config", "--type=bool", "core.sparseCheckout"]), "")).trim() === "true") {
    throw new MonocoError("input", t`${worktree} is a sparse checkout: not all files are there`, {
      hint: t`git sparse-checkout disable, then hand over again`,
    });
  }
}
