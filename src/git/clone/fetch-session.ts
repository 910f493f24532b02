/** Fetches a session's commits from its clone into the person's repository; git in the clone runs in the session's sandbox, if any. */
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { fetchTriesMax, gitAfterStopMs, gitInWorkspaceMsMax } from "../../core/limits.ts";
import { reflogBytesMax, reflogTipsMax } from "../../core/limits.ts";
import { shellWord } from "../../core/text/shell.ts";
import { filesBelow, foreignPart } from "../folders.ts";
import { GitError, gitIn, gitOr, timedOutExit } from "../git.ts";
import type { Git } from "../git.ts";
import { despiteLocks } from "../killed/ref-lock.ts";
import { commitsOf, isAncestor, moveRef, moveRefs, treeOf } from "../repository.ts";
import type { CloneSource } from "./workspace.ts";
import { refs } from "../refs.ts";
import { keepTree } from "../snapshot.ts";
import { commonDirOf } from "./workspace.ts";
import { isCheckedOut } from "../worktrees.ts";
import type { Unreadable } from "../../core/reason/ending-schema.ts";

/** The session's head as fetched, why the clone's git could not be read, and the ref of commits that are not the relay's. */
export type Fetched = { head: string; trouble?: Unreadable; foreignRef?: string };

/**
 * Fetches every ref of the agent's clone to `refs/monoco/ID/sessions/N/`, and commits that only its reflog names. Moves the
 * relay's head to the session's head: HEAD if it descends from the work branch, else the work branch.
 */
export async function fetchSession(source: CloneSource, from: FetchFrom): Promise<Fetched> {
  for (let left = fetchTriesMax; left > 0; left -= 1) {
    const fetched = await fetchOnce(source, from);
    if (fetched) return fetched;
  }
  return { head: from.previousHead, trouble: { rule: "fetched_lost" } };
}

export type FetchFrom = {
  workspace: string;
  issue: string;
  session: number;
  previousHead: string;
  /** The session's sandbox command, under which git reads the clone. */
  within?: readonly string[];
};

/** Undefined if the person's `gc` deleted the fetched commits meanwhile: the ref exists, but its commit does not. */
async function fetchOnce(source: CloneSource, from: FetchFrom): Promise<Fetched | undefined> {
  const git = gitIn(source.root);
  const into = refs.session(from.issue, from.session);
  const ref = `refs/heads/${source.branch}`;
  const [trouble, isHeld] = await Promise.all([
    bringRefs(source, from, into),
    isCheckedOut(source.root, ref),
  ]);
  if (trouble !== undefined) return { head: from.previousHead, trouble };
  await keepReflog(git, { ...from, gitDir: join(from.workspace, ".git") }, `${into}/reflog`);
  const names = [`${into}/heads/${source.branch}`, `${into}/head`];
  const [tip, sourceTip, branch, detached] = await commitsOf(git, [ref, source.ref, ...names]);
  const head = await pickHead(git, branch, detached);
  if (!head && (await gitOr(git(["rev-parse", "--verify", "--quiet", `${into}/head`]), "")) !== "")
    return undefined;
  // Git rejects commits on a shallow root but exits with 0.
  if (!head) return { head: from.previousHead, trouble: { rule: "no_head" } };
  if (tip === head && sourceTip === head) return { head };
  const free = !isHeld;
  const foreignRef = free ? await keepFound(git, { ...from, tip, head }) : undefined;
  // The branch follows if it can: not if it is checked out, blocked by another ref, or has just moved.
  const follow = { ref, to: head, expected: tip ?? "" };
  const both = free && (await moveRefs(git, [{ ref: source.ref, to: head }, follow]));
  if (!both) await moveRef(git, source.ref, head);
  return { head, ...(foreignRef ? { foreignRef } : {}) };
}

/** Fetches the clone's refs; returns why it could not. */
async function bringRefs(
  source: CloneSource,
  from: FetchFrom,
  into: string,
): Promise<Unreadable | undefined> {
  const { root } = source;
  const foreign = foreignPart(
    join(from.workspace, ".git"),
    join(await commonDirOf(root, gitIn(root)), "objects"),
  );
  if (foreign !== undefined) return { rule: "foreign_part", part: foreign };
  return fetchRefs(source, from, into);
}

async function fetchRefs(
  { root, branch, stop }: CloneSource,
  { workspace, previousHead, within }: FetchFrom,
  into: string,
): Promise<Unreadable | undefined> {
  const heads = `+refs/heads/*:${into}/heads/*`;
  const own = [`+refs/heads/${branch}:${into}/heads/${branch}`];
  const head = `+HEAD:${into}/head`;
  const git = gitIn(root);
  // Branches, stash, notes and the session's own tags, without what the clone was given.
  const given = await git(["for-each-ref", "--format=^%(refname)", "refs/tags"]);
  const all = [`+refs/*:${into}/*`, "^refs/remotes/*", ...namesOfOurs, ...given.split("\n").filter(Boolean)];
  // The second try is for an agent's process that still changes refs. One ref that points nowhere makes a fetch of all refs fail.
  const tries = [[...all, head], [heads, head], [heads, head], [...own, head], [heads], own];
  // The clone began at this commit, so git need not compare the refs of all earlier sessions.
  const have = `--negotiation-tip=${previousHead}`;
  const argv = [...fetching, ...uploadPack(within), have, "--stdin", join(workspace, ".git")];
  let trouble: Unreadable | undefined;
  for (const refspecs of tries) {
    try {
      const input = refspecs.map((refspec) => `${refspec}\n`).join("");
      const fetch = () => git(argv, { ...inWorkspace, input, stop, stopAfterMs: gitAfterStopMs });
      await despiteLocks(git, [into], fetch);
      return undefined;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      trouble = { rule: "git_failed", said: error.message };
      if (error.exitCode === timedOutExit) break;
    }
  }
  return trouble;
}

/** Excludes the clone's refs with names that monoco uses below a session's refs. */
const namesOfOurs = ["head", "wip", "reflog", "modules", "uncommitted"].flatMap((name) => [
  `^refs/${name}`,
  `^refs/${name}/*`,
]);

const fetching = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];

/** The option that runs upload-pack in the sandbox; git passes the command to a shell. */
function uploadPack(within: readonly string[] = []): string[] {
  if (within.length === 0) return [];
  return [`--upload-pack=${[...within, "git", "upload-pack"].map(shellWord).join(" ")}`];
}

/**
 * Keeps commits that only the reflogs of a git directory of the clone name (amended, rebased, an older stash) as parents of one
 * commit under `ref`. `git` runs in the repository that keeps them.
 */
export async function keepReflog(
  git: Git,
  { gitDir, within, issue, session }: FetchFrom & { gitDir: string },
  ref: string,
): Promise<void> {
  const hashes = reflogsIn(gitDir);
  if (hashes.length === 0) return;
  const commits = await commitsOf(git, hashes);
  const missing = hashes.filter((_, at) => commits[at] === undefined).slice(-reflogTipsMax);
  if (missing.length === 0) return;
  const from = [...fetching, ...uploadPack(within), gitDir];
  // One commit that the clone no longer has makes the fetch of all commits fail.
  const all = await gitOr(git([...from, ...missing], inWorkspace), undefined);
  if (all === undefined) for (const one of missing) await gitOr(git([...from, one], inWorkspace), "");
  const fetched = (await commitsOf(git, missing)).filter((one) => one !== undefined);
  if (fetched.length === 0) return;
  const tree = await treeOf(git, fetched[0]!);
  const message = `Commits that only the reflog of ${issue} session ${session} names`;
  await keepTree(git, { tree, parents: fetched, ref, message });
}

/** Commits in the reflogs of a git directory and of its linked worktrees, oldest first: see gitformat-reflog(5). */
function reflogsIn(gitDir: string): string[] {
  const lines = ["logs", "worktrees"]
    .flatMap((name) => filesBelow(join(gitDir, name)))
    .filter((path) => path.includes("/logs/") && lstatSync(path).size <= reflogBytesMax)
    .flatMap((path) => attempt(() => readFileSync(path, "latin1"), "").split("\n"));
  const commits = lines.flatMap((line) => /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) /.exec(line)?.[1] ?? []);
  return [...new Set(commits)].filter((commit) => /[^0]/.test(commit));
}

const inWorkspace = { msMax: gitInWorkspaceMsMax };

/**
 * The commits of a clone's HEAD and branches; undefined if its git cannot be read, or has none. `within`: the session's sandbox
 * command, under which git reads the clone.
 */
export async function headsOf(
  git: Git,
  folder: string,
  within: readonly string[] = [],
): Promise<string[] | undefined> {
  const ask = ["ls-remote", "--quiet", ...uploadPack(within), folder, "HEAD", "refs/heads/*"];
  const listed = await gitOr(git(ask, inWorkspace), undefined);
  const lines = listed?.split("\n").filter((line) => line !== "");
  return lines?.length ? [...new Set(lines.map((line) => line.split("\t")[0]!))] : undefined;
}

async function pickHead(git: Git, branch?: string, detached?: string): Promise<string | undefined> {
  if (!branch || !detached || branch === detached) return branch ?? detached;
  return (await isAncestor(git, branch, detached)) ? detached : branch;
}

/** Keeps commits on the relay's branch that the relay did not make under a ref, and returns that ref. */
async function keepFound(
  git: Git,
  of: { issue: string; tip: string | undefined; head: string; previousHead: string },
): Promise<string | undefined> {
  const { tip, head, previousHead } = of;
  if (!tip || tip === previousHead || tip === head || (await isAncestor(git, tip, head))) return undefined;
  const ref = `refs/monoco/${of.issue}/found/${tip.slice(0, 12)}`;
  await moveRef(git, ref, tip);
  return ref;
}
