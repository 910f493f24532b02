/** Asks git for everything that the record of a merge can be compared with. */
import { hash } from "node:crypto";
import type { CommitFacts, GitFacts } from "../../core/attest/compare.ts";
import type { Predicate } from "../../core/attest/statement-schema.ts";
import { unlessRefused } from "../../core/error/attempt.ts";
import { checkCommands } from "../../core/settings/check-schema.ts";
import { readSettings } from "../../core/settings/file.ts";
import { settle } from "../../core/settings/layers.ts";
import { projectSchema } from "../../core/settings/settings.ts";
import { GitError, gitOr } from "../../git/git.ts";
import type { Git } from "../../git/git.ts";
import { commitTree } from "../../git/identity.ts";
import { mergeTrees, parentsOnTop } from "../../git/landing.ts";
import { commitOf, fileAt, isAncestor, mergeBase, treeOf } from "../../git/repository.ts";
import { namesBetween } from "../../git/snapshot.ts";
import type { Here } from "../here.ts";

/** A commit as git has it; undefined if it is not here. */
export async function commitFacts(git: Git, name: string): Promise<CommitFacts | undefined> {
  const commit = await commitOf(git, name);
  if (commit === undefined) return undefined;
  return (await factsOf(git, ["-1", commit]))[0];
}

/** The commits of a range, oldest first; undefined for what is none. */
export async function rangeFacts(git: Git, range: string): Promise<CommitFacts[] | undefined> {
  const isRange = (await gitOr(git(["rev-list", "-1", range, "--"]), undefined)) !== undefined;
  return isRange ? factsOf(git, ["--reverse", range, "--"]) : undefined;
}

async function factsOf(git: Git, which: readonly string[]): Promise<CommitFacts[]> {
  const fields = (await git(["log", "--format=%H %T %P%x00%B%x00", ...which])).split("\0");
  return Array.from({ length: Math.floor(fields.length / 2) }, (_, at) => {
    const [commit = "", tree = "", ...parents] = fields[2 * at]!.trim().split(" ");
    return { commit, tree, parents, message: fields[2 * at + 1]! };
  });
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
    above: merge.above === undefined ? undefined : await aboveFacts(git, predicate),
    differing:
      made === undefined || submission === undefined || base === undefined
        ? undefined
        : await besides(here, { base, with: submission, is: made.tree }),
    moved:
      made === undefined || made === landed
        ? undefined
        : await besidesMoved(here, { made, landed, base: predicate.merge.base }),
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

/** The paths in which a commit differs from its first parent with the change from `base` to another commit. */
async function besidesMoved(
  here: Here,
  { made, landed, base }: { made: CommitFacts; landed: CommitFacts; base: string },
): Promise<string[]> {
  const { git } = here.repository;
  const [first] = landed.parents;
  if (first === undefined || (await commitOf(git, base)) === undefined) return [landed.commit];
  // Git merges commits, so both sides get the base as their only parent.
  const on = async (tree: string, ...parents: string[]): Promise<string> =>
    commitTree(git, { tree, parents, message: "verify" });
  const root = await on(await treeOf(git, base));
  const before = await treeOf(git, first);
  // What changes nothing has landed nothing.
  if (before === landed.tree) return [landed.commit];
  const [ours, theirs] = [await on(before, root), await on(made.tree, root)];
  return besides(here, { base: ours, with: theirs, is: landed.tree });
}

async function aboveFacts(git: Git, { merge, landing }: Predicate): Promise<GitFacts["above"]> {
  const { above: left = "", base, strategy } = merge;
  const above = await commitFacts(git, left);
  const isHere = above && (await commitOf(git, landing.head)) && (await commitOf(git, base));
  if (!isHere) return undefined;
  const parents = await parentsOnTop(git, { left, base, head: landing.head, strategy });
  return { parents, message: above.message };
}

function projectIn(text: string): NonNullable<GitFacts["project"]> {
  const source = readSettings({ text, file: "monoco.yaml", from: "project", schema: projectSchema });
  const { extends: _policy, ...values } = source.values;
  const { setup, shell, checks, attest } = settle([{ ...source, values }]).settings;
  return { setup, shell, checks: checkCommands(checks), attest };
}
