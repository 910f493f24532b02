/** Commits uncommitted work with a trusted git directory and index of monoco's own. */
import { appendFileSync, chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { attempt } from "../core/error/attempt.ts";
import type { Stats } from "node:fs";
import { dirname, join } from "node:path";
import { gitInWorkspaceMsMax, gitMsMax, snapshotFileBytesMax, snapshotFilesMax } from "../core/limits.ts";
import { GitError, gitIn, gitOr, zeroed } from "./git.ts";
import type { Git } from "./git.ts";
import { statusOf } from "./status.ts";
import { identityOf } from "./identity.ts";
import type { Identity } from "./identity.ts";
import { moveRef, unanswered } from "./repository.ts";
import type { Repository } from "./repository.ts";
import { worktreesInside } from "./worktrees.ts";
import { t } from "../core/language/translate.ts";

export type Snapshot = {
  /** The tree of all files of the work, tracked and untracked; undefined if it is the tree of `head`. */
  tree: string | undefined;
  /** Files that differ from `head`. */
  uncommitted: string[];
  /** Each file that was left out, with the reason. */
  leftOut: string[];
  /** Folders below it that are repositories of their own, among what was left out. */
  repositories: string[];
};

/**
 * A checkout in which nothing may change: `own` is the place of monoco's git directory, `ignored` has more patterns to ignore,
 * `except` has the files that are not work.
 */
type PersonsCheckout = { own: string; ignored: string; except: ReadonlySet<string> };

type SnapshotOptions = {
  persons?: PersonsCheckout;
} & Partial<Beside>;
/** An aborted `stop` ends the git that reads the files; `meanwhile` is called when that git has started. */
export type Beside = { stop: AbortSignal; meanwhile(): void };

/** Git over `folder` with a git directory of monoco's own and the person's object store. */
export function gitWith(
  { commonDir }: Pick<Repository, "commonDir">,
  at: { own: string; folder: string; stop?: AbortSignal | undefined },
): Git {
  const { stop } = at;
  const env = {
    GIT_DIR: at.own,
    GIT_OBJECT_DIRECTORY: join(commonDir, "objects"),
    GIT_INDEX_FILE: join(at.own, "index"),
    GIT_WORK_TREE: at.folder,
    // Lets `git status` write file times to the index, which no other git uses.
    GIT_OPTIONAL_LOCKS: "1",
  };
  return (args, options) => gitIn(at.folder)(args, { env, msMax: gitInWorkspaceMsMax, stop, ...options });
}

/**
 * Writes the tree of `workspace`, on top of `head`, to the person's object store. The workspace's filters and hooks do not run
 * (monoco's git directory overrides them with `* -filter`). Line ends and encodings follow .gitattributes, as in a fresh
 * checkout. Nested repositories, RALPH.md, special files and masses of unignored files are left out and named in `leftOut`.
 */
export async function takeSnapshot(
  person: Pick<Repository, "root" | "commonDir">,
  workspace: string,
  head: string,
  { persons, stop, meanwhile }: SnapshotOptions = {},
): Promise<Snapshot> {
  const own = makeGitDir(persons?.own ?? snapshotFolder(workspace), head);
  appendFileSync(join(own, "info", "exclude"), persons?.ignored ?? "");
  try {
    const run = gitWith(person, { own, folder: workspace, stop });
    // read-tree reads no file of the worktree.
    await run(["read-tree", head], { msMax: gitMsMax });
    const reading = statusOf(run, workspace, "all");
    meanwhile?.();
    const entries = withoutSparse(await reading, await sparseIn(gitIn(person.root), workspace));
    const listed = changesIn(entries.filter((entry) => !persons?.except.has(entry.slice(3))));
    // A repository may ignore the folder of its worktrees, and yet they hold work.
    const inside = persons ? [] : worktreesInside(workspace).map((path) => `${path}/`);
    listed.untracked = [...new Set([...listed.untracked, ...inside])];
    const isReadable = persons ? mayBeRead : canBeRead;
    const { taken, gone, leftOut, repositories } = choose(workspace, listed, isReadable);
    if (taken.length + gone.length === 0) return { tree: undefined, uncommitted: [], leftOut, repositories };
    const update = async (how: string[], paths: string[]): Promise<void> => {
      const input = `${paths.join("\0")}\0`;
      if (paths.length === 0) return;
      const output = await run(["update-index", "--verbose", ...how, "-z", "--stdin"], { input });
      // update-index prints each path that it has added.
      if (!output.endsWith(`'${paths.at(-1)}'\n`))
        throw unanswered(t`git did not take all uncommitted files`);
    };
    await update(["--force-remove"], gone);
    await update(["--add", "--remove"], taken).catch((error: unknown) => {
      if (!(error instanceof GitError)) throw error;
      // Keeps files unchanged that are not in the encoding that .gitattributes names.
      writeFileSync(join(own, "info", "attributes"), "* -filter -text -ident -working-tree-encoding\n");
      return update(["--add", "--remove"], taken);
    });
    const tree = (await run(["write-tree"])).trim();
    const uncommitted = await namesIn(run, head, tree);
    return { tree: uncommitted.length > 0 ? tree : undefined, uncommitted, leftOut, repositories };
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** Paths that a clone's index leaves out of its worktree (a sparse checkout): their files are not deleted. */
async function sparseIn(git: Git, workspace: string): Promise<ReadonlySet<string>> {
  const index = join(workspace, ".git", "index");
  const isSparse = statOf(join(workspace, ".git", "info", "sparse-checkout"))?.isFile() === true;
  if (!isSparse || !statOf(index)?.isFile()) return new Set();
  const listed = zeroed(
    await gitOr(git(["ls-files", "-t", "-z", "--full-name"], { env: { GIT_INDEX_FILE: index } }), ""),
  );
  return new Set(listed.filter((entry) => entry.startsWith("S ")).map((entry) => entry.slice(2)));
}

/** Writes the files that a sparse checkout leaves out, before its `.git` is moved away: without it they would count as deleted. */
export async function writeLeftOut(
  person: Pick<Repository, "root" | "commonDir">,
  workspace: string,
  head: string,
): Promise<void> {
  const leftOut = await sparseIn(gitIn(person.root), workspace);
  if (leftOut.size === 0) return;
  const own = makeGitDir(snapshotFolder(workspace), head);
  try {
    const run = gitWith(person, { own, folder: workspace });
    await run(["read-tree", head], { msMax: gitMsMax });
    const input = `${[...leftOut].join("\0")}\0`;
    await gitOr(run(["checkout-index", "--quiet", "-z", "--stdin"], { input }), "");
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function withoutSparse(entries: readonly string[], sparse: ReadonlySet<string>): string[] {
  return entries.filter((entry) => !(entry.startsWith(" D ") && sparse.has(entry.slice(3))));
}

/** The snapshot's folder, next to the workspace. The next snapshot, or the clone's removal, deletes a killed run's folder. */
export function snapshotFolder(workspace: string): string {
  return `${workspace}.snapshot`;
}

/** Creates a minimal bare git directory with HEAD at `head`; its objects are elsewhere. */
export function makeGitDir(own: string, head: string): string {
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own);
  for (const name of ["refs", "info"]) mkdirSync(join(own, name));
  // An id of 64 digits is SHA-256; without this setting git expects SHA-1.
  if (head.length === 64) writeFileSync(join(own, "config"), sha256Config);
  writeFileSync(join(own, "info", "attributes"), "* -filter\n");
  writeFileSync(join(own, "info", "exclude"), "/RALPH.md\n");
  // HEAD is written last, so that a killed run leaves no valid repository.
  writeFileSync(join(own, "HEAD"), `${head}\n`);
  return own;
}

const sha256Config = "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n";

/** The paths that differ from the index, tracked and untracked. */
function changesIn(entries: readonly string[]): { tracked: string[]; untracked: string[] } {
  const paths = (of: (status: string) => boolean): string[] =>
    entries.filter((entry) => of(entry.slice(0, 2))).map((entry) => entry.slice(3));
  return { tracked: paths((status) => status !== "??"), untracked: paths((status) => status === "??") };
}

/** `taken`: the paths to snapshot, deleted files included. `gone`: tracked paths whose folder was replaced by a link. */
type Choice = Pick<Snapshot, "leftOut" | "repositories"> & { taken: string[]; gone: string[] };

function choose(
  workspace: string,
  listed: { tracked: string[]; untracked: string[] },
  isReadable: (path: string) => boolean,
): Choice {
  const { files, gone, special } = chooseTracked(workspace, listed.tracked, isReadable);
  const leftOut = special.map((path) => t`${path} (no longer a file)`);
  const taken: string[] = [];
  // Git lists the files of any other folder.
  const repositories = listed.untracked.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
  for (const path of listed.untracked) {
    if (path.endsWith("/")) leftOut.push(t`${path} (a repository of its own)`);
    else if (!isWork(join(workspace, path))) leftOut.push(t`${path} (not a file of a sane size)`);
    else if (!isReadable(join(workspace, path))) leftOut.push(t`${path} (it may not be read)`);
    else taken.push(path);
  }
  if (taken.length <= snapshotFilesMax) return { taken: [...files, ...taken], gone, leftOut, repositories };
  leftOut.push(t`${taken.length} untracked files that nothing ignores`);
  return { taken: files, gone, leftOut, repositories };
}

/** Splits tracked paths: git refuses to follow a link to a file's folder, and to add a fifo, a socket or a device. */
function chooseTracked(workspace: string, tracked: string[], isReadable: (path: string) => boolean) {
  const files: string[] = [];
  const gone: string[] = [];
  const special: string[] = [];
  const links = new Map<string, boolean>([[".", false]]);
  const beyondLink = (folder: string): boolean => {
    const seen = links.get(folder);
    if (seen !== undefined) return seen;
    const crossesLink =
      beyondLink(dirname(folder)) || statOf(join(workspace, folder))?.isSymbolicLink() === true;
    links.set(folder, crossesLink);
    return crossesLink;
  };
  for (const path of tracked) {
    const stat = statOf(join(workspace, path));
    if (path === "RALPH.md") continue;
    if (beyondLink(dirname(path))) gone.push(path);
    else if (stat && !stat.isFile() && !stat.isSymbolicLink() && !stat.isDirectory()) special.push(path);
    else if (stat?.isFile() && !isReadable(join(workspace, path))) special.push(path);
    else files.push(path);
  }
  return { files, gone, special };
}

function isWork(path: string): boolean {
  const stat = statOf(path);
  return (
    stat !== undefined && (stat.isSymbolicLink() || (stat.isFile() && stat.size <= snapshotFileBytesMax))
  );
}

/** Whether a file can be read, after giving its owner the right: one unreadable file would fail the whole snapshot. */
function canBeRead(path: string): boolean {
  if (mayBeRead(path)) return true;
  return attempt(() => {
    chmodSync(path, (lstatSync(path).mode & 0o7777) | 0o400);
    return true;
  }, false);
}

function mayBeRead(path: string): boolean {
  const stat = statOf(path);
  return !stat?.isFile() || (stat.mode & 0o400) !== 0;
}

/** The file's stat; undefined if the file, or a folder of its path, does not exist. */
function statOf(path: string): Stats | undefined {
  return attempt(() => lstatSync(path), undefined);
}

/** Names of the files that differ between two trees or commits. */
export async function namesBetween(root: string, from: string, to: string): Promise<string[]> {
  return namesIn(gitIn(root), from, to);
}

async function namesIn(git: Git, from: string, to: string): Promise<string[]> {
  if (from === to) return [];
  return zeroed(await git(["diff-tree", "-r", "--name-only", "-z", "--no-renames", from, to]));
}

/** Keeps a tree under `ref` as a commit with these parents; returns the commit. */
export async function keepTree(
  git: Git,
  keep: { tree: string; parents: readonly string[]; ref: string; message: string; identity?: Identity },
): Promise<string> {
  const { name, email } = keep.identity ?? (await identityOf(git));
  const identity = ["-c", `user.name=${name}`, "-c", `user.email=${email}`];
  const parents = keep.parents.flatMap((parent) => ["-p", parent]);
  const commit = (await git([...identity, "commit-tree", keep.tree, ...parents, "-m", keep.message])).trim();
  await moveRef(git, keep.ref, commit);
  return commit;
}
