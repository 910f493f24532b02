/**
 * The sandbox around a program, by bubblewrap: the system read-only, a person's files hidden, and only named places writable.
 *
 * The process tree is contained as in monoco's own PID namespace: the first process is a small shell, which TERM does not
 * reach, the namespace ends with the program, and the tree ends with its runner (`--die-with-parent`). bubblewrap itself is
 * outside: the shell has a session of its own, so that a signal to the shell's group does not reach bubblewrap.
 */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, fstatSync, readFileSync, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../core/error/attempt.ts";
import { MonocoError } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";
import { lockAt } from "./go-ahead.ts";
import type { Lent } from "./go-ahead.ts";
import { between, folderOf, isClosed, lastAbove, mountsOf } from "./mounts.ts";
import type { Mount, View } from "./mounts.ts";
import { networkWords, startWords } from "./network/words.ts";

const namespaces = "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try";
const process1 = "--as-pid-1 --new-session --die-with-parent";
/** The fixed options: without capabilities over the mounts, even for root. */
const fixed = `${namespaces} ${process1} --cap-drop ALL --ro-bind / / --dev /dev --proc /proc --ro-bind /proc/sys /proc/sys`;

/**
 * bubblewrap's command line before the program's own: starts the program in `cwd`, with the given view. The lock is held
 * outside the sandbox, where no program in it can open the lock again: bubblewrap keeps only the descriptor for its status,
 * which it writes into the lock's file.
 */
export function bubblewrap(view: View, cwd: string, lent: Lent = "nothing"): string[] {
  return [
    systemPath("bwrap"),
    ...fixed.split(" "),
    ...(lent === "socket and lock" ? ["--json-status-fd", String(lockAt)] : []),
    ...networkWords(view.network),
    ...mountWords(mountsOf(view)),
    "--chdir",
    cwd,
    ..."-- /bin/sh -c".split(" "),
    ...startWords(view.network, lent),
  ];
}

/** A block of most file systems. One start's status (namespaces, exit code) takes some 190 bytes; a resumed session has several. */
const statusBytes = 4096;

/**
 * Reserves space in the lock's file, so that bubblewrap can write its status on a full disk, too: otherwise it would exit.
 * Each start writes after the last one.
 */
export function reserveStatus(lockFd: number): void {
  if (fstatSync(lockFd).size < statusBytes) writeSync(lockFd, " ".repeat(statusBytes), 0);
}

const systemFolders = "/usr/bin /bin /usr/sbin /sbin /usr/local/bin /run/current-system/sw/bin".split(" ");

/** The path of a system's program. Ignores the PATH, which may name a folder that a session can write to. */
export function systemProgram(name: string): string | undefined {
  return systemFolders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

const systemPath = (name: string): string => systemProgram(name) ?? join("/usr/bin", name);

/** bubblewrap's own `/dev` includes `shm`. */
const dev: Mount = { at: "/dev", as: "folder", closed: false };

/** bubblewrap rereads the list of all mounts for each mount, which takes 0.1 to 0.2 ms. Inside a new folder it therefore makes a plain folder. */
function mountWords(mounts: readonly Mount[]): string[] {
  const own = mounts.some(({ at }) => at === "/") ? [] : [dev];
  const byPath = new Map([...own, ...mounts].map((mount) => [mount.at, mount]));
  const shut = new Set(mounts.filter(isClosed).map(({ at }) => at));
  const args = mounts.flatMap((mount) => {
    const above = lastAbove(folderOf(mount.at), byPath);
    if (above && isClosed(above)) for (const way of between(mount.at, [above.at])) shut.add(way);
    return wordsOf(mount, above?.as === "folder");
  });
  // This only prevents mistakes: a program can change the mode, and then writes to memory. The modes come last because a setuid bubblewrap could not add anything to these folders afterwards.
  return [...args, ...[...shut].flatMap((at) => ["--chmod", "0555", at])];
}

function wordsOf(mount: Mount, isInNew: boolean): string[] {
  const { at } = mount;
  switch (mount.as) {
    case "read":
      return ["--ro-bind", mount.from ?? at, at];
    case "write":
      return ["--bind", at, at];
    case "folder":
      return [isInNew ? "--dir" : "--tmpfs", at];
    case "file":
      return ["--dev-bind", "/dev/null", at];
    case "link":
      return ["--symlink", mount.to, at];
  }
}

let probed: boolean | undefined;

/**
 * Whether bubblewrap works on this machine: its whole command line is tried once. Throws `input` if the machine is only short
 * of some resource: a session must not get the next one out of the sandbox by using it up.
 */
export function hasBubblewrap(): boolean {
  if (process.platform !== "linux" || systemProgram("bwrap") === undefined) return false;
  probed ??= probeBubblewrap(probesMax);
  return probed;
}

const probesMax = 3;
const probeMsMax = 5_000;

function probeBubblewrap(left: number): boolean {
  const hidden = ["/tmp", "/home"].filter((path) => existsSync(path));
  const placed = hidden.map((path): [string, string] => ["/", join(path, "monoco/probe")]);
  const [program = "", ...args] = bubblewrap({ hidden, scratch: [], read: [], write: [], placed }, "/");
  const { status, stderr, error } = spawnSync(program, [...args, "true"], {
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    timeout: probeMsMax,
  });
  if (status === 0) return true;
  const why = error?.message ?? (stderr ?? "").trim();
  if (!/ETIMEDOUT|EAGAIN|ENOMEM|E[MN]FILE|No space left|temporarily unavailable|allocate memory/.test(why))
    return false;
  if (left > 1) return probeBubblewrap(left - 1);
  throw new MonocoError("input", t`bubblewrap is there, and could not start: ${why.slice(0, 200)}`, {
    hint: t`the machine is short of something: end what uses it up, and try again`,
  });
}

let closed = false;

/**
 * Closes, once, the descriptors that monoco has inherited besides its three streams: an open folder would be open in the
 * sandbox, too. Descriptors that Node opens are not passed on.
 */
export function closeInherited(): void {
  if (closed) return;
  closed = true;
  for (const fd of readdirSync("/proc/self/fd")
    .map(Number)
    .filter((one) => one > 2))
    if (isPassedOn(fd)) attempt(() => closeSync(fd), undefined);
}

/** Whether the descriptor lacks the flag O_CLOEXEC: see proc(5), fdinfo. */
function isPassedOn(fd: number): boolean {
  const flags = attempt(
    () => /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1],
    undefined,
  );
  return flags !== undefined && (Number.parseInt(flags, 8) & 0o2000000) === 0;
}
