/** Brings what a session left in its clone into the person's repository; the agent's own git is never run. */
import { lstatSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { fetchTriesMax, gitAfterStopMs, gitInWorkspaceMsMax } from "../../core/limits.ts";
import { foreignPart } from "../folders.ts";
import { GitError, gitIn, gitOr } from "../git.ts";
import { timedOutExit } from "../start/shells.ts";
import type { Git } from "../git.ts";
import { commitOf, commitsOf, isAncestor, mergeBase, moveRef, moveRefs } from "../repository.ts";
import type { RefMove } from "../objects/own-refs.ts";
import { looseRef } from "./git-dir.ts";
import type { Coming } from "./kept-index.ts";
import { packOf } from "../objects/loose-pack.ts";
import { changesByPack, commitsIfWhole, commitsWalked } from "../objects/whole-pack.ts";
import { remembered } from "../remembered.ts";
import type { CloneSource } from "./workspace.ts";
import { refs } from "../refs.ts";
import { commonDirOf } from "./workspace.ts";
import { isCheckedOut } from "../worktrees.ts";
import { t } from "../../core/language/translate.ts";

/** What a session left: its head as fetched, and whether its git could be read at all. */
export type Fetched = { head: string; trouble?: string; found?: string };

/**
 * Fetches every ref of the agent's clone to `refs/monoco/ID/sessions/N/`, finds the session's head (HEAD where it goes
 * on from the work branch, else the work branch) and moves the relay's head there. The agent's git is never run.
 */
export async function fetchSession(source: CloneSource, from: FetchFrom): Promise<Fetched> {
  for (let left = fetchTriesMax; left > 0; left -= 1) {
    const fetched = await fetchOnce(source, from);
    if (fetched) return fetched;
  }
  return { head: from.previousHead, trouble: t`what was fetched is lost: another git repacks all the time` };
}

type FetchFrom = {
  workspace: string;
  issue: string;
  session: number;
  previousHead: string;
  /** Called where the head is known and its objects are coming, before it is known whether all of them do: the answer may be another one. */
  onHead?: (head: string, coming: Coming) => void;
  /** Called while git is at work. */
  meanwhile?: () => void;
};

/** Undefined where a person's `gc` lost what was fetched beside it: the ref is there, and its commit is not. */
async function fetchOnce(source: CloneSource, from: FetchFrom): Promise<Fetched | undefined> {
  const git = gitIn(source.root);
  const into = refs.session(from.issue, from.session);
  const ref = `refs/heads/${source.branch}`;
  const [brought, isHeld] = await Promise.all([
    bringRefs(source, from, into),
    isCheckedOut(source.root, ref),
  ]);
  if (typeof brought === "object" && "trouble" in brought) return { head: from.previousHead, ...brought };
  const own = typeof brought === "object" ? brought.moves : [];
  const names =
    typeof brought === "object"
      ? [brought.head, brought.head]
      : [`${into}/heads/${source.branch}`, `${into}/head`];
  const [tip, known, ...fetched] = await commitsOf(git, [ref, source.ref, ...names]);
  const [branch, detached] = brought === "unmoved" ? [from.previousHead] : fetched;
  const head = await pickHead(git, branch, detached);
  if (!head && (await gitOr(git(["rev-parse", "--verify", "--quiet", `${into}/head`]), "")) !== "")
    return undefined;
  // git rejects what hangs on a shallow root, and calls that a success.
  if (!head) return { head: from.previousHead, trouble: t`neither its branch nor its HEAD could be fetched` };
  if (tip === head && known === head && own.length === 0) return { head };
  const free = !isHeld;
  const found = free ? await keepFound(git, { ...from, tip, head }) : undefined;
  // The branch follows where it can: not where somebody has it checked out, another ref is in its way, or it moved just now.
  const follow = { ref, to: head, expected: tip ?? "" };
  const all = [...own, { ref: source.ref, to: head }];
  const both = free && (await moveRefs(git, [...all, follow]));
  if (!both) for (const move of all) await moveRef(git, move.ref, move.to);
  return { head, ...(found ? { found } : {}) };
}

/** Objects that are there, and the refs that are to hold them. */
type Packed = { head: string; moves: RefMove[] };

/** Fetches what there is to fetch. */
async function bringRefs(
  source: CloneSource,
  from: FetchFrom,
  into: string,
): Promise<"fetched" | "unmoved" | Packed | { trouble: string }> {
  const { root } = source;
  const foreign = foreignPart(from.workspace, join(await commonDirOf(root, gitIn(root)), "objects"));
  if (foreign !== undefined) return { trouble: t`its ${foreign} leads to what is not its own` };
  const branches = plainBranches(source, from.workspace);
  const moved = branches && (await movedIn(branches, source, from));
  if (moved?.length === 0) return "unmoved";
  const arePlain = Object.keys(branches ?? {}).every(
    (name) => plainName.test(name) && !name.includes(".lock"),
  );
  if (moved && arePlain && (await takePack(source, from, moved)))
    return { head: branches[source.branch]!, moves: movesFor(branches, { into, head: source.branch }) };
  const trouble = await fetchRefs(source, { workspace: from.workspace, into, known: from.previousHead });
  return trouble === undefined ? "fetched" : { trouble };
}

/** One that git takes for a ref's, and that is one word to it. */
const plainName = /^[\p{L}\p{N}_+-]+(?:[./][\p{L}\p{N}_+-]+)*$/u;

/** The commits of a clone's branches where HEAD, on the work branch, and the branches are files as monoco writes them. */
function plainBranches({ branch }: CloneSource, workspace: string): Record<string, string> | undefined {
  const own = join(workspace, ".git");
  const isPlain =
    textOf(join(own, "HEAD")) === `ref: refs/heads/${branch}\n` &&
    ["packed-refs", "reftable", "shallow"].every(
      (name) => lstatSync(join(own, name), { throwIfNoEntry: false }) === undefined,
    );
  const commits = branchFiles(own).map((name) => [name, textOf(looseRef(own, name)).trim()] as const);
  const areCommits = commits.every(([, commit]) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit));
  return isPlain && areCommits && commits.some(([name]) => name === branch)
    ? Object.fromEntries(commits)
    : undefined;
}

/** The commits at which branches stand where monoco did not put them. */
async function movedIn(
  branches: Record<string, string>,
  source: CloneSource,
  from: FetchFrom,
): Promise<string[]> {
  const bases = await commitsOf(gitIn(source.root), [
    `refs/heads/${source.base}`,
    ...(source.hold === undefined ? [] : [source.hold]),
  ]);
  const isKnown = (branch: string, commit: string): boolean =>
    branch === source.branch
      ? commit === from.previousHead
      : branch === source.base && bases.includes(commit);
  const moved = Object.entries(branches).filter(([branch, commit]) => !isKnown(branch, commit));
  return [...new Set(moved.map(([, commit]) => commit))];
}

/**
 * Whether what hangs on `tips` is in the person's repository: packed by us, checked and synced by `git index-pack` as a fetch
 * would, and found whole by `git rev-list`. Where it is not, a fetch says why.
 */
async function takePack(source: CloneSource, from: FetchFrom, tips: string[]): Promise<boolean> {
  const { workspace, previousHead } = from;
  const packed = source.clones === "borrowed" && packOf(join(workspace, ".git", "objects"), tips);
  if (!packed) return false;
  const git = gitIn(source.root);
  const inputPath = packFile(workspace);
  try {
    rmSync(inputPath, { force: true });
    writeFileSync(inputPath, packed.pack, { flag: "wx" });
    const taking = git(["index-pack", "--stdin", "--strict", "--threads=1"], { inputPath });
    const counting = commitsIfWhole(git.ask, packed, { tips, before: previousHead });
    // Awaited below.
    taking.catch(() => undefined);
    const [tip, ...others] = tips;
    if (tip !== undefined && others.length === 0) {
      const goesOn = [...packed.objects.values()].some(({ links }) => links.includes(previousHead));
      if (goesOn) await foreseeMergeBase(git, source.base, from, tip);
      const changes = await changesByPack(git.ask, packed, { tip, before: previousHead });
      from.onHead?.(tip, { before: previousHead, changes, there: taking });
    }
    from.meanwhile?.();
    await taking;
    const count = (await counting) ?? (await commitsWalked(git, { tips, before: previousHead }));
    if (count === undefined) return false;
    if (others.length === 0) await remembered("count", [previousHead, tip], async () => count);
    return true;
  } catch (error) {
    if (error instanceof GitError) return false;
    throw error;
  } finally {
    rmSync(inputPath, { force: true });
  }
}

/** A base that was in all that `head` goes on from is in `head`. */
async function foreseeMergeBase(
  git: Git,
  base: string,
  { previousHead }: FetchFrom,
  head: string,
): Promise<void> {
  const there = await commitOf(git, `refs/heads/${base}`);
  if (there !== undefined && (await mergeBase(git, there, previousHead)) === there)
    await remembered("merge-base", [there, head], async () => there);
}

/** Beside the workspace: it goes with it. */
function packFile(workspace: string): string {
  return `${workspace}.pack`;
}

function movesFor(
  branches: Record<string, string>,
  { into, head }: { into: string; head: string },
): RefMove[] {
  const moves = Object.entries(branches).map(([name, to]) => ({ ref: `${into}/heads/${name}`, to }));
  return [...moves, { ref: `${into}/head`, to: branches[head]! }];
}

/** The paths below `refs/heads`, whatever they are, except folders. */
function branchFiles(own: string): string[] {
  const heads = join(own, "refs", "heads");
  const entries = attempt(() => readdirSync(heads, { recursive: true, withFileTypes: true }), []);
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map((entry) => relative(heads, join(entry.parentPath, entry.name)));
}

function textOf(path: string): string {
  const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? attempt(() => readFileSync(path, "utf8"), "") : "";
}

async function fetchRefs(
  { root, branch, stop }: CloneSource,
  { workspace, into, known }: { workspace: string; into: string; known: string },
): Promise<string | undefined> {
  const heads = `+refs/heads/*:${into}/heads/*`;
  const own = [`+refs/heads/${branch}:${into}/heads/${branch}`];
  const head = `+HEAD:${into}/head`;
  // Again, where something of the agent's still runs and took away what it had told. One ref that points nowhere makes a fetch
  // of all fail: then the branch alone, at least.
  const tries = [[heads, head], [heads, head], [...own, head], [heads], own];
  // The clone began at `known`: git need not look at the refs of all earlier sessions to find out what both have.
  const have = `--negotiation-tip=${known}`;
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", have, join(workspace, ".git")];
  let trouble: string | undefined;
  for (const refspecs of tries) {
    try {
      await gitIn(root)([...fetch, ...refspecs], { ...inWorkspace, stop, stopAfterMs: gitAfterStopMs });
      return undefined;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      trouble = error.message;
      if (error.exitCode === timedOutExit) break;
    }
  }
  return trouble;
}

const inWorkspace = { msMax: gitInWorkspaceMsMax };

/** The commits that a clone's HEAD and branches stand at; undefined where its git cannot be read, or names none. Its git is never run. */
export async function headsOf(git: Git, folder: string): Promise<string[] | undefined> {
  const listed = await gitOr(
    git(["ls-remote", "--quiet", folder, "HEAD", "refs/heads/*"], inWorkspace),
    undefined,
  );
  const lines = listed?.split("\n").filter((line) => line !== "");
  return lines?.length ? [...new Set(lines.map((line) => line.split("\t")[0]!))] : undefined;
}

async function pickHead(git: Git, branch?: string, detached?: string): Promise<string | undefined> {
  if (!branch || !detached || branch === detached) return branch ?? detached;
  return (await isAncestor(git, branch, detached)) ? detached : branch;
}

/** Commits on the relay's branch that are not the relay's are somebody's: they are kept under a ref, which is the answer. */
async function keepFound(
  git: Git,
  of: { issue: string; tip: string | undefined; head: string; previousHead: string },
): Promise<string | undefined> {
  const { tip, head, previousHead } = of;
  if (!tip || tip === previousHead || tip === head || (await isAncestor(git, tip, head))) return undefined;
  const found = `refs/monoco/${of.issue}/found/${tip.slice(0, 12)}`;
  await moveRef(git, found, tip);
  return found;
}
