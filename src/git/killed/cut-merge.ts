/** What a fast-forward that was killed left in a checkout: put back as it was, where every byte of it is the merge's own. */
import { lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { gitIn, gitOr, zeroed } from "../git.ts";
import type { Git } from "../git.ts";
import { commitOf } from "../repository.ts";
import { statusOf } from "../status.ts";

/** From `expected`, at which the branch still is, to `commit`; `scratch` is a folder for this alone, made and removed. */
export type Cut = { worktree: string; expected: string; commit: string; scratch: string };

/**
 * git writes the files first, then the index, and moves the branch last. Files that a person may have changed stay, and so does
 * everything where git cannot write its index.
 */
export async function putBackCut(cut: Cut): Promise<void> {
  const git = gitIn(cut.worktree);
  // git writes this before it touches a file: without it, no merge was begun from there.
  if ((await commitOf(git, "ORIG_HEAD")) !== cut.expected) return;
  if (await indexIs(git, cut.commit)) return takeBack(git, cut);
  if (await indexIs(git, cut.expected)) await putFilesBack(git, cut);
}

async function indexIs(git: Git, commit: string): Promise<boolean> {
  return (await gitOr(git(["diff-index", "--cached", "--quiet", commit]), undefined)) !== undefined;
}

/**
 * Where the index has moved and the branch has not, the merge would stand there as staged changes. The files go back by git's
 * own two-tree merge, which refuses to touch what somebody has edited since.
 */
export async function takeBack(
  git: Git,
  { commit, expected }: Pick<Cut, "expected" | "commit">,
): Promise<void> {
  if (await indexIs(git, commit)) await gitOr(git(["read-tree", "-m", "-u", commit, expected]), undefined);
}

async function putFilesBack(git: Git, cut: Cut): Promise<void> {
  const { worktree, expected, commit, scratch } = cut;
  const diff = ["diff-tree", "-r", "-z", "--name-status", "--no-renames", expected, commit];
  const fields = zeroed(await git(diff));
  const changed = new Map(fields.flatMap((path, at) => (at % 2 === 1 ? [[path, fields[at - 1]!]] : [])));
  const paths = (letters: string): string[] =>
    [...changed].flatMap(([path, letter]) => (letters.includes(letter) ? [path] : []));
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  try {
    const whole = join(scratch, "files");
    const env = { GIT_INDEX_FILE: join(scratch, "index") };
    await git(["read-tree", commit], { env });
    const input = paths("AMT").join("\0");
    await git(["checkout-index", "-f", "-z", "--stdin", `--prefix=${whole}/`], { env, input });
    const dirty = (await statusOf(git, worktree, "no")).map((entry) => entry.slice(3));
    const made = paths("A").filter((path) => isThere(join(worktree, path)));
    const touched = [...dirty, ...made];
    const own = touched.every(
      (path) => changed.has(path) && isPartOf(join(worktree, path), join(whole, path)),
    );
    // Files that are only missing may be a person's doing: git deletes in the order of its index, and before it writes.
    const isCertain =
      touched.some((path) => isThere(join(worktree, path))) ||
      dirty.every((path, at) => path === paths("D")[at]);
    if (!own || !isCertain) return;
    const put = ["checkout-index", "-f", "-u", "-q", "-z", "--stdin"];
    const back = await gitOr(git(put, { input: dirty.join("\0") }), undefined);
    if (back === undefined) return;
    for (const path of made.filter((one) => isInside(worktree, one))) rmSync(join(worktree, path));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isThere(path: string): boolean {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }), undefined) !== undefined;
}

/** Whether the file at `path` is missing, or holds nothing but the beginning of `whole`. */
function isPartOf(path: string, whole: string): boolean {
  const [found, wanted] = [path, whole].map((one) => lstatSync(one, { throwIfNoEntry: false }));
  if (!found) return true;
  if (found.isSymbolicLink())
    return wanted?.isSymbolicLink() === true && readlinkSync(path) === readlinkSync(whole);
  if (!found.isFile() || !wanted?.isFile() || found.size > wanted.size) return false;
  return readFileSync(path).equals(readFileSync(whole).subarray(0, found.size));
}

/** No folder on the way to it is a link. */
function isInside(worktree: string, path: string): boolean {
  const folder = dirname(join(realpathSync(worktree), path));
  return attempt(() => realpathSync(folder) === folder, false);
}
