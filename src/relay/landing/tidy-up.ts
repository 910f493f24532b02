/** Removes clones, temporary folders and the work branch at a relay's end; keeps and names what is not merged or kept elsewhere. */
import { takeSnapshot } from "../../git/snapshot.ts";
import { commitOf, commitsOf, isAncestor, moveRef } from "../../git/repository.ts";
import { headsOf } from "../../git/clone/fetch-session.ts";
import { isOwnFolder, removeTree, takeBack } from "../../git/folders.ts";
import { refs } from "../../git/refs.ts";
import { removeClone } from "../../git/clone/workspace.ts";
import { worktreesOf } from "../../git/worktrees.ts";
import { existsSync, renameSync } from "node:fs";
import { wordsOf } from "../../core/error/error.ts";
import { openingOf, submissionOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { gitWithin } from "../sandbox.ts";
import { removeTemporaries } from "../temporary.ts";
import { t } from "../../core/language/translate.ts";

/** The number of files that are named for a kept clone. */
const namesMax = 10;

/** Returns what is kept, with the reasons. */
export async function tidyUp(relay: Relay, submission: number): Promise<string[]> {
  return [...(await tidyClones(relay, `${submission}`)), ...(await tidyBranch(relay, submission))];
}

/**
 * Removes the clones. The Executor's is renamed instead, with the ending `name`, if it has work beyond commit `head` (by
 * default the relay's head).
 */
export async function tidyClones(relay: Relay, name: string, head?: string): Promise<string[]> {
  const folder = relay.places.workspace;
  // A crash may have come between this renaming and its event.
  const aside = `${folder}.kept-${name}`;
  try {
    for (const clone of [relay.places.review, relay.places.base, relay.places.trial]) removeClone(clone);
    removeTree(relay.places.scratch);
    removeTemporaries(relay);
    const why = isOwnFolder(folder) ? await unmergedIn(relay, folder, head) : undefined;
    if (why !== undefined) renameSync(folder, aside);
    // Also removes the clone's companion folders.
    removeClone(folder);
    return existsSync(aside) ? [`${aside}: ${why ?? t`it has what is not merged`}`] : [];
  } catch (error) {
    return [t`${folder}: it cannot be removed: ${wordsOf(error)}`];
  }
}

async function unmergedIn(relay: Relay, folder: string, than?: string): Promise<string | undefined> {
  const { git } = relay.repository;
  await takeBack(folder);
  const heads = await headsOf(git, folder, gitWithin(relay, folder));
  if (!heads) return t`its git cannot be read`;
  const commits = await commitsOf(git, heads);
  if (commits.includes(undefined)) return t`it has commits that no session left`;
  const head =
    than ??
    (await commitOf(git, refs.head(relay.issue))) ??
    relay.state.submissions.at(-1)?.head ??
    openingOf(relay).baseCommit;
  const { uncommitted, leftOut } = await takeSnapshot(relay.repository, folder, head);
  const names = [...uncommitted, ...leftOut];
  if (names.length === 0) return undefined;
  const some = names.slice(0, namesMax).join(", ");
  return names.length > namesMax
    ? t`not committed: ${some}, and ${names.length - namesMax} more`
    : t`not committed: ${some}`;
}

/** Deletes the work branch if its commits are merged; a pull request may have merged another commit. */
export async function tidyBranch(relay: Relay, submission: number): Promise<string[]> {
  const { git } = relay.repository;
  const { branch, base, pullRequest } = openingOf(relay);
  const ref = `refs/heads/${branch}`;
  const tip = await commitOf(git, ref);
  if (!tip) return [];
  const there = pullRequest === undefined ? [] : [pullRequest.commit];
  const merged = [`refs/heads/${base}`, submissionOf(relay, submission).head, ...there];
  const within = await Promise.all(merged.map((commit) => isAncestor(git, tip, commit)));
  if (!within.includes(true)) {
    const left = await git(["rev-list", "--count", tip, ...merged.map((commit) => `^${commit}`)]);
    return [t`branch ${branch}: ${left.trim()} commits that are not merged`];
  }
  const holder = (await worktreesOf(git)).find((worktree) => worktree.branch === ref);
  if (holder) return [t`branch ${branch}: ${holder.path} has it checked out`];
  return (await moveRef(git, ref, "0".repeat(tip.length), tip))
    ? []
    : [t`branch ${branch}: git does not remove it`];
}
