/** Makes trees from the files of two commits, and lays trees out in folders, with git directories of monoco's own. */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { ChangedFile, Edit } from "../core/trial/overlays.ts";
import { attempt } from "../core/error/attempt.ts";
import { MonocoError } from "../core/error/error.ts";
import { writeMissing } from "./clone/modules.ts";
import { refreshIndex } from "./clone/workspace.ts";
import { GitError, gitIn, zeroed } from "./git.ts";
import type { Git } from "./git.ts";
import { treeOf } from "./repository.ts";
import type { Repository } from "./repository.ts";
import { gitWith, makeGitDir } from "./snapshot.ts";
import { isOwnFolder, makeWritable, takeBack } from "./folders.ts";
import { t } from "../core/language/translate.ts";

/** The files that differ between two commits, without submodules. */
export async function changedFiles(git: Git, start: string, head: string): Promise<ChangedFile[]> {
  const form = ["-r", "-z", "--raw", "--no-renames", "--abbrev=64", "--ignore-submodules=all"];
  const fields = zeroed(await git(["diff-tree", ...form, start, head]));
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", newMode = "", oldHash = "", newHash = ""] = fields[at]!.slice(1).split(" ");
    files.push({
      path: fields[at + 1]!,
      ...(isNone(oldMode) ? {} : { before: { mode: oldMode, hash: oldHash } }),
      ...(isNone(newMode) ? {} : { after: { mode: newMode, hash: newHash } }),
    });
  }
  return files;
}

const isNone = (mode: string): boolean => mode === "000000" || mode === "160000";

/** The tree of `start` with the edits, written to the person's object store. */
export async function treeWith(
  person: Pick<Repository, "root" | "commonDir">,
  of: { start: string; edits: readonly Edit[]; own: string },
): Promise<string> {
  const git = gitIn(person.root);
  if (of.edits.length === 0) return treeOf(git, of.start);
  const lines: string[] = [];
  for (const { path, to } of of.edits) {
    if (!to) lines.push(`0 ${"0".repeat(of.start.length)}\t${path}`);
    else if ("hash" in to) lines.push(`${to.mode} ${to.hash}\t${path}`);
    else {
      const hash = (await git(["hash-object", "-w", "--stdin"], { input: to.text })).trim();
      lines.push(`${to.mode} ${hash}\t${path}`);
    }
  }
  const run = gitOver(person, { folder: person.root, own: of.own, head: of.start });
  await run(["read-tree", of.start]);
  await run(["update-index", "--replace", "-z", "--index-info"], {
    input: lines.map((line) => `${line}\0`).join(""),
  });
  return (await run(["write-tree"])).trim();
}

/**
 * Gives `folder` the files of `tree`, whatever ran in it: tracked files are restored, and new files that are not ignored are
 * removed. Ignored files (a set-up, a build) stay. The folder's own git is neither run nor changed.
 */
export async function layTree(
  person: Pick<Repository, "root" | "commonDir">,
  folder: string,
  tree: string,
): Promise<void> {
  refuseLink(folder);
  await takeBack(folder);
  const own = `${folder}.trees`;
  const run = gitOver(person, { folder, own, head: tree });
  const lay = async (): Promise<void> => {
    const written = await differing(run, tree);
    await run(["read-tree", "--reset", "-u", tree]);
    await run(writeMissing);
    await run(["clean", "-ffdq", "--exclude=/RALPH.md"]);
    giveOwnSecond(folder, written);
  };
  await lay().catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    // A command may have left read-only folders.
    makeWritable(folder);
    return lay();
  });
}

/** Files of the tree that are different in the folder. */
async function differing(run: Git, tree: string): Promise<string[]> {
  await refreshIndex(run);
  return zeroed(
    await run([
      "diff-index",
      "--name-only",
      "-z",
      "--no-renames",
      "--ignore-submodules=all",
      "--diff-filter=a",
      tree,
    ]),
  );
}

/**
 * Gives the written files a modification time that no earlier tree had. Python and Ruby recognize compiled files by whole
 * seconds and size, and would take those of the earlier tree.
 */
function giveOwnSecond(folder: string, paths: readonly string[]): void {
  const file = join(`${folder}.trees`, "second");
  const before = Number(attempt(() => readFileSync(file, "utf8"), "0"));
  const second = Math.max(Math.ceil(Date.now() / 1_000), before + 1);
  writeFileSync(file, String(second));
  for (const path of paths) {
    const at = join(folder, path);
    if (lstatSync(at, { throwIfNoEntry: false })?.isFile()) utimesSync(at, second, second);
  }
}

/** Prepares the index of a clone that was made at `tree` and not used since: `layTree` need not read its files. */
export function beginAtTree(
  person: Pick<Repository, "root" | "commonDir">,
  folder: string,
  tree: string,
): void {
  const own = `${folder}.trees`;
  gitOver(person, { folder, own, head: tree });
  // Without an index, git writes all files anew.
  if (timesTell(folder))
    cpSync(join(folder, ".git", "index"), join(own, "index"), { preserveTimestamps: true });
}

/** Throws if `folder` is a link: a command that ran there may have replaced it by a link to the person's repository. */
function refuseLink(folder: string): void {
  if (!isOwnFolder(folder)) throw new MonocoError("bug", t`${folder} is no folder of its own`);
}

/** The topmost files and folders that git ignores in a folder whose files are those of `tree`. */
export async function ignoredIn(
  person: Pick<Repository, "root" | "commonDir">,
  folder: string,
  tree: string,
): Promise<string[]> {
  refuseLink(folder);
  const run = gitOver(person, { folder, own: `${folder}.trees`, head: tree });
  return zeroed(await run(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]));
}

/** The parts of a clone's git that a command may change. */
const movable = [
  ..."HEAD index index.lock refs packed-refs config hooks info".split(" "),
  ..."MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD rebase-merge rebase-apply".split(" "),
];

/** Copies the state of a clone's git, whose files are those of a tree, to a folder next to the clone. */
export function keepGitState(folder: string): void {
  refuseLink(folder);
  copyGitState(join(folder, ".git"), keptIn(folder));
}

/** Restores the state of a clone's git that `keepGitState` copied. */
export function restoreGitState(folder: string): void {
  refuseLink(folder);
  const git = join(folder, ".git");
  if (isOwnFolder(git) && existsSync(keptIn(folder))) copyGitState(keptIn(folder), git);
}

const keptIn = (folder: string): string => join(`${folder}.trees`, "kept");

function copyGitState(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of movable) {
    rmSync(join(to, name), { recursive: true, force: true });
    if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name), { recursive: true });
  }
}

/** The number of tmpfs in the kernel's header linux/magic.h. */
const tmpfs = 0x01021994;

/** Whether every write changes a file's times. On tmpfs a write through mmap does not, so no index is kept. */
const timesTell = (folder: string): boolean => statfsSync(folder).type !== tmpfs;

function gitOver(
  person: Pick<Repository, "root" | "commonDir">,
  { folder, own, head }: { folder: string; own: string; head: string },
): Git {
  if (!/^[0-9a-f]+\n$/.test(attempt(() => readFileSync(join(own, "HEAD"), "latin1"), ""))) {
    makeGitDir(own, head);
  } else if (!timesTell(folder)) rmSync(join(own, "index"), { force: true });
  // A killed run may have left this lock.
  rmSync(join(own, "index.lock"), { force: true });
  return gitWith(person, { own, folder });
}
