/** Asks git for everything that the record of a merge can be compared with. */
import { hash } from "node:crypto";
import type { CommitFacts, GitFacts } from "../../core/attest/compare.ts";
import type { Predicate } from "../../core/attest/statement-schema.ts";
import { unlessRefused } from "../../core/error/attempt.ts";
import { checkCommands } from "../../core/settings/check-schema.ts";
import { readSettings } from "../../core/settings/file.ts";
import { settle } from "../../core/settings/layers.ts";
import { projectSchema } from "../../core/settings/settings.ts";
import { GitError } from "../../git/git.ts";
import type { Git } from "../../git/git.ts";
import { mergeTrees } from "../../git/landing.ts";
import { commitOf, fileAt, isAncestor, mergeBase, treeOf } from "../../git/repository.ts";
import { namesBetween } from "../../git/snapshot.ts";
import type { Here } from "../here.ts";

/** A commit as git has it; undefined if it is not here. */
export async function commitFacts(git: Git, name: string): Promise<CommitFacts | undefined> {
  const commit = await commitOf(git, name);
  if (commit === undefined) return undefined;
  const [head = "", message = ""] = (await git(["log", "-1", "--format=%T %P%x00%B", commit])).split("\0");
  const [tree = "", ...parents] = head.trim().split(" ");
  return { commit, tree, parents: parents.filter(Boolean), message };
}

export async function gatherFacts(
  here: Here,
  { landed, patch, predicate }: { landed: CommitFacts; patch: string; predicate: Predicate },
): Promise<GitFacts> {
  const { git } = here.repository;
  const { merge, landing, contract } = predicate;
  const made = merge.commit === landed.commit ? landed : await commitFacts(git, merge.commit);
  const submission = await commitOf(git, landing.head);
  const base = await commitOf(git, merge.base);
  const pinned = await fileAt(git, contract.commit, contract.path);
  const moved = made && made !== landed && patch !== predicate.patch ? landed.parents[0] : undefined;
  const text = await fileAt(git, merge.base, "monoco.yaml");
  return {
    landed,
    made,
    patch,
    submission:
      submission === undefined
        ? undefined
        : {
            tree: await treeOf(git, submission),
            base: base === undefined ? undefined : await mergeBase(git, base, submission),
          },
    differing:
      made === undefined || submission === undefined || base === undefined
        ? undefined
        : await besides(here, { base, with: submission, is: made.tree }),
    moved:
      moved === undefined
        ? undefined
        : await besides(here, { base: moved, with: made!.commit, is: landed.tree }),
    contract: {
      pinned,
      sha256: pinned === undefined ? undefined : hash("sha256", pinned),
      isBelow: base !== undefined && (await isAncestor(git, contract.commit, base)),
      onBase: await fileAt(git, merge.base, contract.path),
      inMerge: await fileAt(git, landed.commit, contract.path),
    },
    project: text === undefined ? undefined : unlessRefused(() => projectIn(text)),
  };
}

/** The paths in which a tree differs from the merge of two commits; the second commit if they do not merge. */
async function besides(here: Here, of: { base: string; with: string; is: string }): Promise<string[]> {
  try {
    const { tree, conflicts } = await mergeTrees(here.repository.git, of.base, of.with);
    const names = await namesBetween(here.repository.root, tree, of.is);
    return [...new Set([...conflicts, ...names])];
  } catch (error) {
    // Unrelated histories do not merge.
    if (error instanceof GitError) return [of.with];
    throw error;
  }
}

function projectIn(text: string): NonNullable<GitFacts["project"]> {
  const source = readSettings({ text, file: "monoco.yaml", from: "project", schema: projectSchema });
  const { extends: _policy, ...values } = source.values;
  const { setup, shell, checks } = settle([{ ...source, values }]).settings;
  return { setup, shell, checks: checkCommands(checks) };
}
