/** Trees that are made of two commits' files, and folders whose files are made those of a tree, by git directories of our own. */
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
import { refreshIndex, writeMissing } from "./clone/workspace.ts";
import { GitError, gitIn, zeroed } from "./git.ts";
import type { Git } from "./git.ts";
import { treeOf } from "./repository.ts";
import type { Repository } from "./repository.ts";
import { gitWith, makeGitDir } from "./snapshot.ts";
import { isOwnFolder, makeWritable, takeBack } from "./folders.ts";
import { t } from "../core/language/translate.ts";

/** Submodules are left out. */
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

/** The tree of `start` with the edits, in the person's object store. */
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
 * Makes the files of `folder` those of `tree`, whatever ran in it: what is tracked is restored, what is new and not ignored is
 * removed. What is ignored (a set-up, a build) stays. The folder's own git is neither run nor changed.
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
    // A command left folders that nobody may write in.
    makeWritable(folder);
    return lay();
  });
}

/** Files of the tree that are other in the folder. */
async function differing(run: Git, tree: string): Promise<string[]> {
  await refreshIndex(run);
  return zeroed(await run(["diff-index", "--name-only", "-z", "--no-renames", "--diff-filter=a", tree]));
}

/**
 * Gives files that were written a time that no tree before had. What is compiled from them is told by whole seconds and the size, as
 * Python and Ruby do it, and would be taken for that of the tree before.
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

/** Of a clone in which nothing has run since it was made at `tree`, what `layTree` would do without looking at its files. */
export function beginAtTree(
  person: Pick<Repository, "root" | "commonDir">,
  folder: string,
  tree: string,
): void {
  const own = `${folder}.trees`;
  gitOver(person, { folder, own, head: tree });
  // Else git would write all files anew.
  if (timesTell(folder))
    cpSync(join(folder, ".git", "index"), join(own, "index"), { preserveTimestamps: true });
}

/** Whatever is done in a folder where a command ran: it may have put a link to the person's repository in its place. */
function refuseLink(folder: string): void {
  if (!isOwnFolder(folder)) throw new MonocoError("bug", t`${folder} is no folder of its own`);
}

/** What git ignores in a folder whose files are those of a tree: the folders and files at the top of it. */
export async function ignoredIn(
  person: Pick<Repository, "root" | "commonDir">,
  folder: string,
  tree: string,
): Promise<string[]> {
  refuseLink(folder);
  const run = gitOver(person, { folder, own: `${folder}.trees`, head: tree });
  return zeroed(await run(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]));
}

/** What of a clone's git a command may move. */
const movable = [
  ..."HEAD index index.lock refs packed-refs config hooks info".split(" "),
  ..."MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD rebase-merge rebase-apply".split(" "),
];

/** Keeps where the git of a clone stands, beside it: a folder that was made a tree's before. */
export function keepGitState(folder: string): void {
  refuseLink(folder);
  copyGitState(join(folder, ".git"), keptIn(folder));
}

/** Puts the git of a clone back where it was kept. */
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

/** Of the kernel's headers, linux/magic.h. */
const tmpfs = 0x01021994;

/**
 * Whether a file that was written has another time than before, however that was done. In memory (tmpfs) it has the same after a
 * write by a map of the file, and no index tells the two apart.
 */
const timesTell = (folder: string): boolean => statfsSync(folder).type !== tmpfs;

function gitOver(
  person: Pick<Repository, "root" | "commonDir">,
  { folder, own, head }: { folder: string; own: string; head: string },
): Git {
  if (!/^[0-9a-f]+\n$/.test(attempt(() => readFileSync(join(own, "HEAD"), "latin1"), ""))) {
    makeGitDir(own, head);
  } else if (!timesTell(folder)) rmSync(join(own, "index"), { force: true });
  // Of a run that was killed.
  rmSync(join(own, "index.lock"), { force: true });
  return gitWith(person, { own, folder });
}
