/** Finds the person's repository from any subdirectory or linked worktree. */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { MonocoError } from "../core/error/error.ts";
import { faultError, notUtf8 } from "../core/error/fault.ts";
import { despiteLocks } from "./killed/ref-lock.ts";
import { GitError, gitIn, gitOr, zeroed } from "./git.ts";
import type { Git } from "./git.ts";
import { t } from "../core/language/translate.ts";

export type Repository = {
  /** The main worktree, which contains `.monoco`; without one (`.bare` with linked worktrees), the common git directory. */
  root: string;
  /** The main worktree; without one, that around the current folder. */
  checkout: string;
  /** The worktree around the current folder. */
  worktree: string;
  commonDir: string;
  /** Git in the main worktree. */
  git: Git;
};

/** Asks git for the common git directory, this worktree's git directory, and the worktree. */
const foldersQuestion = "rev-parse --path-format=absolute --git-common-dir --git-dir --show-toplevel".split(
  " ",
);

/** Asks git whether the repository is bare or a partial clone. */
const kindQuestion = [
  ..."config --null --get-regexp".split(" "),
  "^(core\\.(bare|worktree)|remote\\..*\\.promisor)$",
];

/** Finds the repository around `cwd`. Throws `input` if there is none, and outside of a worktree. */
export async function openRepository(cwd: string): Promise<Repository> {
  const { commonDir, gitDir, worktree, more } = await foldersAround(cwd);
  if (more) {
    throw new MonocoError("input", t`${cwd}: a folder on the way has a line end in its name`, {
      hint: t`rename it`,
    });
  }
  const entries = zeroed(await gitOr(gitIn(commonDir)(kindQuestion), ""));
  if (worktree === undefined) {
    throw new MonocoError("input", t`${cwd} is in a bare repository or inside .git`, {
      hint: t`run monoco in a worktree: git worktree list shows them`,
    });
  }
  const main = mainWorktree({ worktree, commonDir, gitDir, entries });
  const root = realpathSync(main ?? commonDir);
  if (entries.some((entry) => entry.startsWith("remote."))) {
    // Local clones of a partial clone lose history (exit 0, objects missing), so partial clones are refused.
    throw new MonocoError("input", t`${root} is a partial clone: its objects are not all here`, {
      hint: t`make a full clone: git clone without --filter`,
    });
  }
  if (existsSync(join(commonDir, "shallow"))) {
    throw new MonocoError("input", t`${root} is a shallow clone`, { hint: "git fetch --unshallow" });
  }
  const here = realpathSync(worktree);
  const checkout = main === undefined ? here : root;
  return { root, checkout, worktree: here, commonDir: realpathSync(commonDir), git: gitIn(root) };
}

type Around = { commonDir: string; gitDir: string | undefined; worktree: string | undefined; more: boolean };

/** The common git directory, this worktree's own, and the worktree, as far as they exist. A name may end in a space. */
async function foldersAround(cwd: string): Promise<Around> {
  const answer = await gitIn(cwd)(foldersQuestion).catch((error: unknown) => {
    // Outside of a worktree, git answers the first questions and then fails.
    if (error instanceof GitError && error.stdout.trim() !== "") return error.stdout;
    throw whyNoRepository(cwd, error);
  });
  const [commonDir = "", gitDir, worktree, ...more] = answer.split("\n").filter((line) => line !== "");
  return { commonDir, gitDir, worktree, more: more.length > 0 };
}

/** The error for a folder in which git finds no repository, another user's repository, or a broken configuration. */
function whyNoRepository(cwd: string, error: unknown): unknown {
  if (!(error instanceof GitError)) return error;
  if (/not a git repository \(or any/.test(error.message)) {
    return new MonocoError("input", t`${cwd} is not inside a git repository`, {
      hint: t`cd into one, or git init`,
    });
  }
  const owner = /dubious ownership/.test(error.message);
  return new MonocoError("input", t`${cwd}: git does not open the repository: ${error.message}`, {
    hint: owner
      ? t`run monoco as the repository's owner, or trust it: git config --global --add safe.directory PATH`
      : t`fix what git says, then run the same command again`,
    cause: error,
  });
}

/** Whether a configuration entry is true; git takes a key without a value for true. */
const isTrue = (entry = "core.bare\nfalse"): boolean => !/\n(?:false|no|off|0*)$/i.test(entry);

type Asked = { worktree: string; commonDir: string; gitDir: string | undefined; entries: readonly string[] };

/** The main worktree; undefined if there are only linked ones. A git directory elsewhere (--separate-git-dir) does not name it. */
function mainWorktree({ worktree, commonDir, gitDir, entries }: Asked): string | undefined {
  if (gitDir === commonDir) return worktree;
  const last = (key: string): string | undefined =>
    entries.findLast((entry) => entry === key || entry.startsWith(`${key}\n`));
  if (isTrue(last("core.bare"))) return undefined;
  // A submodule's.
  const set = last("core.worktree")?.split("\n")[1];
  if (set !== undefined) return resolve(commonDir, set);
  if (basename(commonDir) === ".git") return dirname(commonDir);
  throw new MonocoError("input", t`${worktree} does not know the main worktree of ${commonDir}`, {
    hint: t`run monoco in the main worktree of this repository`,
  });
}

/** The commit that `ref` names, or undefined. */
export async function commitOf(git: Git, ref: string): Promise<string | undefined> {
  const answered = await git.ask?.("info", `${ref}^{commit}`);
  if (answered) return answered === "nothing" ? undefined : answered.hash;
  return (await gitOr(git(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]), undefined))?.trim();
}

/** The commit of the base branch. Throws `input` if it is not here, and names the branch of a remote that it can be made from. */
export async function commitOfBase(git: Git, base: string): Promise<string> {
  const commit = await commitOf(git, `refs/heads/${base}`);
  if (commit !== undefined) return commit;
  const remote = ["for-each-ref", "--count=1", "--format=%(refname:short)", `refs/remotes/*/${base}`];
  const there = (await git(remote)).trim();
  throw new MonocoError("input", t`branch ${base} does not exist or has no commit`, {
    hint: there
      ? `git branch ${base} ${there}`
      : t`make a first commit, or name your branch in monoco.yaml: base: NAME`,
  });
}

/** The commits that several names refer to, from one process. Throws if git does not answer for each name. */
export async function commitsOf(git: Git, names: readonly string[]): Promise<(string | undefined)[]> {
  const answered = await Promise.all(names.map(async (name) => git.ask?.("info", `${name}^{commit}`)));
  if (!answered.includes(undefined))
    return answered.map((one) => (one === "nothing" ? undefined : one?.hash));
  const input = names.map((name) => `${name}^{commit}\n`).join("");
  const output = await git(["cat-file", "--batch-check=%(objectname)"], { input });
  const lines = output.split("\n").slice(0, -1);
  if (lines.length !== names.length)
    throw unanswered(t`git cat-file answered for ${lines.length} of ${names.length} names`);
  return lines.map((line) => (/^[0-9a-f]{40,64}$/.test(line) ? line : undefined));
}

/** The error for a git that exits with 0 after a part of its input: a broken pipe looks like the end of input. */
export function unanswered(what: string): MonocoError {
  return new MonocoError("person", what, { hint: t`run the same command again; nothing is lost` });
}

export async function treeOf(git: Git, commit: string): Promise<string> {
  const answered = await git.ask?.("info", `${commit}^{tree}`);
  if (answered && answered !== "nothing") return answered.hash;
  return (await git(["rev-parse", "--verify", `${commit}^{tree}`])).trim();
}

/** The best common ancestor of two commits; undefined for unrelated histories. */
export async function mergeBase(git: Git, left: string, right: string): Promise<string | undefined> {
  return (await gitOr(git(["merge-base", left, right]), undefined))?.trim();
}

export async function isAncestor(git: Git, ancestor: string, descendant: string): Promise<boolean> {
  return (await gitOr(git(["merge-base", "--is-ancestor", ancestor, descendant]), "no")) !== "no";
}

/** The number of commits in `head` that are not in `start`. */
export async function commitsBetween(git: Git, start: string, head: string): Promise<number> {
  if (start === head) return 0;
  const count = (await git(["rev-list", "--count", `${start}..${head}`])).trim();
  if (!/^\d+$/.test(count)) throw unanswered(t`git rev-list did not count`);
  return Number(count);
}

/** The text of a file in a commit; undefined if the file does not exist. */
export async function fileAt(git: Git, commit: string, path: string): Promise<string | undefined> {
  return blobAt(git, `${commit}:${path}`);
}

/** The text of the blob that `ref` names; undefined if it does not exist. */
export async function blobAt(git: Git, ref: string): Promise<string | undefined> {
  const answered = await git.ask?.("contents", ref);
  if (answered)
    return answered !== "nothing" && answered.type === "blob" ? answered.content.toString() : undefined;
  return gitOr(git(["cat-file", "blob", ref]), undefined);
}

/** The text of a file that will be written back. Throws `input` if it is not UTF-8, since writing would damage it. */
export async function documentAt(git: Git, commit: string, path: string): Promise<string | undefined> {
  const text = await fileAt(git, commit, path);
  if (!text?.includes("\uFFFD")) return text;
  const [kept, was] = [
    await git(["hash-object", "--stdin"], { input: text }),
    await git(["rev-parse", `${commit}:${path}`]),
  ];
  if (kept === was) return text;
  throw faultError(notUtf8(text), path);
}

/** The kind and size of the entry at a path in a commit; undefined if there is none. */
export async function entryAt(
  git: Git,
  commit: string,
  path: string,
): Promise<{ kind: "file" | "link" | "other"; bytes: number } | undefined> {
  const listed = await git(["ls-tree", "--long", "-z", "--full-tree", commit, "--", path]);
  const [, mode = "", size = ""] = listed.match(/^(\d+) \w+ \w+ +(\d+|-)\t/) ?? [];
  return mode === "" ? undefined : { kind: kindIn(mode), bytes: Number(size) || 0 };
}

function kindIn(mode: string): "file" | "link" | "other" {
  return mode.startsWith("100") ? "file" : mode === "120000" ? "link" : "other";
}

/** Creates, moves or deletes a ref if it still has the value `expected`; `""` means that it must not exist. */
export async function moveRef(git: Git, ref: string, to: string, expected?: string): Promise<boolean> {
  const argv = ["update-ref", ref, to, ...(expected === undefined ? [] : [expected])];
  const move = (): Promise<string> => git(argv);
  try {
    await (isOwn(ref) ? despiteLocks(git, [ref], move) : move());
    return true;
  } catch (error) {
    // Without `expected`, a ref that cannot be moved is an error.
    if (error instanceof GitError && expected !== undefined) return false;
    throw error;
  }
}

const isOwn = (ref: string): boolean => ref.startsWith("refs/monoco/");

/** Without `expected` the ref is moved whatever it is; `""` means that it must not exist. */
export type RefMove = { ref: string; to: string; expected?: string };

/** Moves all the refs of a relay or none; false unless git confirms the move. */
export async function moveRefs(git: Git, moves: readonly RefMove[]): Promise<boolean> {
  const lines = moves.map(({ ref, to, expected }) =>
    expected === undefined ? `update ${ref} ${to}\n` : `update ${ref} ${to} ${expected}\n`,
  );
  const input = ["start\n", ...lines, "prepare\n", "commit\n"].join("");
  const names = moves.map(({ ref }) => ref);
  const move = despiteLocks(git, names, async () => git(["update-ref", "--stdin"], { input }));
  return (await gitOr(move, "")).includes("commit: ok");
}

/** The lines of files at a commit that match an extended regular expression; files that git considers binary are skipped. */
export async function grep(
  git: Git,
  { commit, pattern, paths }: { commit: string; pattern: string; paths: readonly string[] },
): Promise<{ file: string; line: string }[]> {
  if (paths.length === 0) return [];
  const form = ["--null", "--full-name", "--no-line-number", "--no-column", "--no-heading", "--no-break"];
  const where = [commit, "--", ...paths.map((path) => `:(top,literal)${path}`)];
  const output = await git(["grep", "-I", "-E", ...form, "-e", pattern, ...where]).catch((error: unknown) => {
    if (error instanceof GitError && error.exitCode === 1) return "";
    throw error;
  });
  return output.split("\n").flatMap((one) => {
    const end = one.indexOf("\0");
    return end < 0
      ? []
      : [{ file: one.slice(commit.length + 1, end), line: one.slice(end + 1, end + 2_000) }];
  });
}
