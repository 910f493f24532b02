/**
 * The sandbox around a program, by bubblewrap: the system read-only, what a person keeps out of sight, and writable only what is named.
 *
 * Its process tree is held as in a PID namespace of ours: the first process is bubblewrap's, the namespace ends with the
 * program, and the whole ends with its runner (`--pdeathsig`, `--die-with-parent`). A TERM goes to the program alone:
 * bubblewrap and its first process ignore it, or the tree would be gone before it could say its last words.
 */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, lstatSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../core/error/attempt.ts";
import { networkWords, startWords } from "./network/words.ts";
import type { NetworkView } from "./network/words.ts";

/** What a program sees of the file system besides the system itself. Absolute paths; what is not there is left out. */
export type View = {
  /** An empty, read-only folder replaces each of these. */
  hidden: readonly string[];
  /** An empty, writable folder replaces each of these. Its contents are lost when the program ends. */
  scratch: readonly string[];
  /** Read-only, below hidden ones too. */
  read: readonly string[];
  write: readonly string[];
  /** Without it, all of the network. */
  network?: NetworkView | undefined;
};

const namespaces = "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try";
/** Without rights over what is mounted, even for root. */
const fixed = `${namespaces} --die-with-parent --cap-drop ALL --ro-bind / / --dev /dev --proc /proc --ro-bind /proc/sys /proc/sys`;

/** The words before a program's own: it is started in `cwd`, and sees what `view` says. */
export function bubblewrap(view: View, cwd: string): string[] {
  return [
    systemProgram("setpriv"),
    ..."--pdeathsig KILL -- /bin/sh -c".split(" "),
    // This shell holds the lock that is lent: bubblewrap lets go of it.
    'trap "" TERM INT HUP; "$@"; exit $?',
    "monoco-session",
    systemProgram("bwrap"),
    ...fixed.split(" "),
    ...networkWords(view.network),
    ...mounts(view),
    ..."--chdir".split(" "),
    cwd,
    "--",
    systemProgram("env"),
    ..."--default-signal=TERM,INT,HUP /bin/sh -c".split(" "),
    ...startWords(view.network),
  ];
}

/** Never by the PATH: on it may stand a folder that a session can write to. */
function systemProgram(name: string): string {
  const folders = "/usr/bin /bin /usr/sbin /sbin /usr/local/bin /run/current-system/sw/bin".split(" ");
  return (
    folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? join("/usr/bin", name)
  );
}

/** Those above come first, so that what lies in a hidden folder can be shown. Of one path the last word counts. */
function mounts({ hidden, scratch, read: shown, write, network }: View): string[] {
  const read = network?.proxy === undefined ? shown : [...shown, network.proxy];
  const wanted: [words: (path: string) => string[], paths: readonly string[]][] = [
    [(path) => ["--tmpfs", path], [...hidden, ...scratch]],
    [(path) => ["--ro-bind", path, path], read],
    [(path) => ["--bind", path, path], write],
  ];
  const found = new Map(
    wanted.flatMap(([words, paths]) => paths.flatMap(realPath).map((path) => [path, words(path)] as const)),
  );
  // What lies deeper in a writable folder could be put aside with the folder around it, were that no mount itself.
  for (const path of [...found.keys()].flatMap((one) => between(one, write.flatMap(realPath))))
    if (!found.has(path)) found.set(path, ["--bind", path, path]);
  const links = [...read, ...write].flatMap(firstLink).filter((link) => isEmptied(dirname(link), found));
  for (const link of links) found.set(link, ["--symlink", realpathSync(link), link]);
  // What is mounted in a hidden folder has its place made there first.
  const open = new Set(scratch.flatMap(realPath));
  const closed = hidden
    .flatMap(realPath)
    .filter((path) => !open.has(path) && found.get(path)?.[0] === "--tmpfs");
  return [
    ...[...found].toSorted(([a], [b]) => depthOf(a) - depthOf(b)).flatMap(([, words]) => words),
    ...[...new Set(closed)].flatMap((path) => ["--remount-ro", path]),
  ];
}

/** The folders between a writable one and what is mounted below it. */
function between(path: string, writable: readonly string[]): string[] {
  const above = dirname(path);
  return writable.some((folder) => above.startsWith(`${folder}/`))
    ? [above, ...between(above, writable)]
    : [];
}

function realPath(path: string): string[] {
  return attempt(() => [realpathSync(path)], []);
}

/** The first part of a path that is a link. */
function firstLink(path: string): string[] {
  const parts = path.split("/");
  const above = parts.map((_, index) => parts.slice(0, index + 1).join("/")).slice(1);
  return above.filter((part) => attempt(() => lstatSync(part).isSymbolicLink(), false)).slice(0, 1);
}

/** Whether the last that is mounted above `path` is an empty folder. */
function isEmptied(path: string, found: ReadonlyMap<string, string[]>): boolean {
  const words = found.get(path);
  if (words) return words[0] === "--tmpfs";
  return path !== dirname(path) && isEmptied(dirname(path), found);
}

function depthOf(path: string): number {
  return path.split("/").filter((part) => part !== "").length;
}

let probed: boolean | undefined;

/** Whether bubblewrap works on this machine: the whole command line is tried once. */
export function hasBubblewrap(): boolean {
  if (process.platform !== "linux") return false;
  const hidden = ["/tmp", "/home"].filter((path) => existsSync(path));
  const [program = "", ...words] = bubblewrap({ hidden, scratch: [], read: [], write: [] }, "/");
  probed ??= spawnSync(program, [...words, "true"], { stdio: "ignore", timeout: 5_000 }).status === 0;
  return probed;
}

let closed = false;

/**
 * What monoco has inherited besides its three streams, an open folder say, would be open in the sandbox, too: it is closed,
 * once. What Node opens itself is not passed on.
 */
export function closeInherited(): void {
  if (closed) return;
  closed = true;
  for (const fd of readdirSync("/proc/self/fd")
    .map(Number)
    .filter((one) => one > 2))
    if (isPassedOn(fd)) attempt(() => closeSync(fd), undefined);
}

/** Without the flag O_CLOEXEC: see proc(5), fdinfo. */
function isPassedOn(fd: number): boolean {
  const flags = attempt(
    () => /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1],
    undefined,
  );
  return flags !== undefined && (Number.parseInt(flags, 8) & 0o2000000) === 0;
}
