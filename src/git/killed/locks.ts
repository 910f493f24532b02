/** Finds the locks of killed gits, on which the next git fails; monoco itself removes only those of its own refs. */
import { existsSync, lstatSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { t } from "../../core/language/translate.ts";
import { shellWord } from "../../core/text/shell.ts";
import { youngLockMs } from "../../core/limits.ts";
import { statOf } from "../../io/process-stat.ts";
import { isYoung } from "../start/young-lock.ts";
import { gitOr } from "../git.ts";
import type { Git } from "../git.ts";

/** `atWork`: the processes that may hold the locks; undefined if the system does not show it. */
export type Locks = { paths: string[]; atWork: number[] | undefined };

const names = ["index", "HEAD", "ORIG_HEAD", "packed-refs", "config"].map((name) => `${name}.lock`);

/** The locks that stop a git in the worktree of `git`. */
export async function locksAround(git: Git): Promise<Locks> {
  const asked = ["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"];
  const gitDirs = (await git(asked)).split("\n").filter(Boolean);
  return locksOf(gitDirs, [...gitDirs, ...(await worktreeOf(git))]);
}

/** The worktree of `git`; none for a bare repository. */
export async function worktreeOf(git: Git): Promise<string[]> {
  return (await gitOr(git(["rev-parse", "--show-toplevel"]), "")).split("\n").filter(Boolean);
}

/** The locks of all worktrees. */
export function locksIn(commonDir: string, worktrees: readonly string[]): Locks {
  const linked = attempt(() => readdirSync(join(commonDir, "worktrees")), []);
  const gitDirs = [commonDir, ...linked.map((name) => join(commonDir, "worktrees", name))];
  return locksOf(gitDirs, [...worktrees, commonDir]);
}

function locksOf(gitDirs: readonly string[], folders: readonly string[]): Locks {
  const paths = [...new Set(gitDirs)].flatMap((folder) => [
    ...names.map((name) => join(folder, name)).filter((path) => existsSync(path)),
    ...refLocks(join(folder, "refs")),
  ]);
  return { paths, atWork: paths.length === 0 ? [] : holdersOf(paths, folders) };
}

/** Lock files of the refs in a folder: no ref's name may end in `.lock`. */
export function refLocks(folder: string): string[] {
  return attempt(() => readdirSync(folder, { recursive: true, encoding: "utf8" }), [])
    .filter((name) => name.endsWith(".lock"))
    .map((name) => join(folder, name));
}

/** The processes that have a lock open, and each git at work here: git closes a lock file before it releases the lock. */
export function holdersOf(paths: readonly string[], folders: readonly string[]): number[] | undefined {
  const pids = attempt(() => readdirSync("/proc"), []).filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return undefined;
  const users = new Set(paths.map(userOf));
  const holders: number[] = [];
  for (const pid of pids) {
    const isGit =
      attempt(() => readFileSync(`/proc/${pid}/comm`, "utf8"), "").startsWith("git") && !isReader(pid);
    const open = openIn(pid);
    // The working directory of another user's git is not visible, but a lock belongs to the user who made it.
    if (isGit && open === "hidden" && (users.has(undefined) || users.has(userOf(`/proc/${pid}`))))
      return undefined;
    if (open === "hidden") continue;
    const isHere = folders.some((folder) => open.some((path) => `${path}/`.startsWith(`${folder}/`)));
    if ((isGit && isHere) || open.some((path) => paths.includes(path))) holders.push(Number(pid));
  }
  return holders;
}

const userOf = (path: string): number | undefined => attempt(() => lstatSync(path).uid, undefined);

/** Whether the process is the reader that a runner keeps (`keepGit`), which writes nothing. */
function isReader(pid: string): boolean {
  return attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), "").includes(
    "\0cat-file\0--batch-command",
  );
}

/** A process's working directory and open files; empty if the process has ended, also before its parent has waited for it. */
export function openIn(pid: string): string[] | "hidden" {
  try {
    const files = readdirSync(`/proc/${pid}/fd`);
    const link = (name: string): string => attempt(() => readlinkSync(`/proc/${pid}/${name}`), "");
    return [link("cwd"), ...files.map((fd) => link(`fd/${fd}`))];
  } catch (error) {
    const isDenied = error instanceof Error && "code" in error && error.code === "EACCES";
    // Linux gives the folder of an ended process to root.
    return isDenied && attempt(() => !statOf(`/proc/${pid}/stat`).isDead, false) ? "hidden" : [];
  }
}

/** How the person removes the locks. */
export function remedyFor({ paths, atWork }: Locks): string {
  const command = `rm ${paths.map(shellWord).join(" ")}`;
  if (atWork?.length === 0 && paths.some(isYoung))
    return t`if it is still there in ${youngLockMs / 1_000} s, a killed git has left it: ${command}`;
  if (atWork === undefined) return t`if no git is at work there: ${command}`;
  return atWork.length > 0
    ? t`wait for the git that is at work there: process ${atWork.join(", ")}`
    : t`no git is at work there, so a killed one left its lock: ${command}`;
}
