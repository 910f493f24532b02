/**
 * The sandbox around a program, by bubblewrap: the system read-only, what a person keeps out of sight, and writable only what is named.
 *
 * Its process tree is held as in a PID namespace of ours: the first process is bubblewrap's, the namespace ends with the
 * program, and the whole ends with its runner (`--pdeathsig`, `--die-with-parent`). A TERM goes to the program alone:
 * bubblewrap and its first process ignore it, or the tree would be gone before it could say its last words.
 */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, lstatSync, readFileSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { attempt } from "../core/error/attempt.ts";
import { MonocoError } from "../core/error/error.ts";
import { t } from "../core/language/translate.ts";
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
  /**
   * Writable folders that appear at another path, too, which need not be there. Each is in a folder that `write` names, so a
   * session may have put a link in its place: it is led to from inside, and never mounted. Without one the place is empty.
   */
  placed?: readonly (readonly [from: string | undefined, at: string])[];
  /** Files and folders that are empty and read-only wherever they would be shown. */
  secret?: readonly string[];
  /** Without it, all of the network. */
  network?: NetworkView | undefined;
};

const namespaces = "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try";
/** Without rights over what is mounted, even for root. */
const fixed = `${namespaces} --die-with-parent --cap-drop ALL --ro-bind / / --dev /dev --proc /proc --ro-bind /proc/sys /proc/sys`;

/** The words before a program's own: it is started in `cwd`, and sees what `view` says. */
export function bubblewrap(view: View, cwd: string): string[] {
  return [
    systemPath("setpriv"),
    ..."--pdeathsig KILL -- /bin/sh -c".split(" "),
    // This shell holds the lock that is lent: bubblewrap lets go of it.
    'trap "" TERM INT HUP; "$@"; exit $?',
    "monoco-session",
    systemPath("bwrap"),
    ...fixed.split(" "),
    ...networkWords(view.network),
    ...mounts(view),
    ..."--chdir".split(" "),
    cwd,
    "--",
    systemPath("env"),
    ..."--default-signal=TERM,INT,HUP /bin/sh -c".split(" "),
    ...startWords(view.network),
  ];
}

export const systemFolders = "/usr/bin /bin /usr/sbin /sbin /usr/local/bin /run/current-system/sw/bin".split(
  " ",
);

/** Never by the PATH: on it may stand a folder that a session can write to. */
export function systemProgram(name: string): string | undefined {
  return systemFolders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

export function systemPath(name: string): string {
  return systemProgram(name) ?? join("/usr/bin", name);
}

/** Those above come first, so that what lies in a hidden folder can be shown. Of one path the last word counts. */
export function mounts(view: View): string[] {
  const { hidden, scratch, write, placed = [], secret = [], network } = view;
  const read = network?.proxy === undefined ? view.read : [...view.read, network.proxy];
  const known: Known = new Map();
  const real = (paths: readonly string[]): string[] =>
    paths.map((path) => walk(path, known).real).filter((path) => existsSync(path));
  const found = new Map<string, string[]>();
  for (const path of real([...hidden, ...scratch])) found.set(path, ["--tmpfs", path]);
  for (const path of real(read)) found.set(path, ["--ro-bind", path, path]);
  const writable = real(write);
  for (const path of writable) found.set(path, ["--bind", path, path]);
  for (const path of real(secret)) if (!isEmptied(path, found)) found.set(path, emptied(path));
  // What lies deeper in a writable folder could be put aside with the folder around it, were that no mount itself.
  for (const path of [...found.keys()].flatMap((one) => between(one, writable)))
    if (!found.has(path)) found.set(path, ["--bind", path, path]);
  const open = new Set(real(scratch));
  for (const [from, at] of placed) {
    const path = walk(at, known).real;
    const isShut = isEmptied(path, found) && !open.has(mountedAbove(path, found));
    const words = placing({ from, path }, found) ?? (isShut ? ["--tmpfs", path] : undefined);
    if (words === undefined) continue;
    // In a hidden folder a program could write nothing beside it.
    if (isShut && !found.has(dirname(path))) found.set(dirname(path), ["--tmpfs", dirname(path)]);
    found.set(path, words);
  }
  // All links of a path: one may lead to the next.
  const links = [...read, ...write, ...placed.map(([, at]) => at)].flatMap((path) => walk(path, known).links);
  for (const [link, target] of links)
    if (isEmptied(dirname(link), found)) found.set(link, ["--symlink", target, link]);
  // What is mounted in a hidden folder has its place made there first.
  const closed = real([...hidden, ...secret]).filter(
    (path) => !open.has(path) && found.get(path)?.[0] === "--tmpfs",
  );
  return [
    ...[...found].toSorted(([a], [b]) => depthOf(a) - depthOf(b)).flatMap(([, words]) => words),
    ...[...new Set(closed)].flatMap((path) => ["--remount-ro", path]),
  ];
}

/**
 * A link where it can be made; elsewhere an empty folder in place of one that is there, and is not the system's. What `write`
 * names itself stays what it is, and so does what has something mounted in it.
 */
function placing(
  { from, path }: { from: string | undefined; path: string },
  found: ReadonlyMap<string, string[]>,
): string[] | undefined {
  const holds = [...found.keys()].some((one) => one.startsWith(`${path}/`));
  if (holds || found.has(path) || lastAbove(path, found) === "--bind") return undefined;
  if (isEmptied(path, found)) return from === undefined ? undefined : ["--symlink", from, path];
  const isDeep = depthOf(path) >= (/^\/(?:usr|etc|var|lib\w*|dev|proc|sys)\//.test(path) ? 3 : 2);
  const isFolder = attempt(() => statSync(path).isDirectory(), false);
  return isDeep && isFolder ? ["--tmpfs", path] : undefined;
}

function emptied(path: string): string[] {
  return statSync(path).isDirectory() ? ["--tmpfs", path] : ["--dev-bind", "/dev/null", path];
}

/** The folders between a writable one and what is mounted below it. */
function between(path: string, writable: readonly string[]): string[] {
  const above = dirname(path);
  return writable.some((folder) => above.startsWith(`${folder}/`))
    ? [above, ...between(above, writable)]
    : [];
}

/** Where a link leads, by its path; undefined for what is none. */
type Known = Map<string, string | undefined>;
type Walk = { real: string; links: [link: string, target: string][] };

/** As the kernel does. */
const hopsMax = 40;

/** Where a path leads, whether or not its end is there, and every link on the way. */
function walk(path: string, known: Known): Walk {
  const links: Walk["links"] = [];
  const parts = path.split("/");
  let real = "/";
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === "" || part === ".") continue;
    const next = part === ".." ? dirname(real) : join(real, part);
    const target = linkAt(next, known);
    if (target === undefined || links.length >= hopsMax) {
      real = next;
      continue;
    }
    links.push([next, target]);
    if (isAbsolute(target)) real = "/";
    parts.unshift(...target.split("/"));
  }
  return { real, links };
}

function linkAt(path: string, known: Known): string | undefined {
  if (!known.has(path))
    known.set(
      path,
      // A plain look first: most are none, and an error is slow.
      attempt(
        () => (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined),
        undefined,
      ),
    );
  return known.get(path);
}

/** Whether the last that is mounted at or above `path` is an empty folder. */
function isEmptied(path: string, found: ReadonlyMap<string, string[]>): boolean {
  return lastAbove(path, found) === "--tmpfs";
}

function lastAbove(path: string, found: ReadonlyMap<string, string[]>): string | undefined {
  return found.get(mountedAbove(path, found))?.[0];
}

/** Where the last is mounted at or above `path`; `/` where nothing is. */
function mountedAbove(path: string, found: ReadonlyMap<string, string[]>): string {
  return found.has(path) || path === "/" ? path : mountedAbove(dirname(path), found);
}

function depthOf(path: string): number {
  return path.split("/").filter((part) => part !== "").length;
}

let probed: boolean | undefined;

/**
 * Whether bubblewrap works on this machine: the whole command line is tried once. Throws `input` where the machine is only
 * short of something: a session that has used it up does not get the next one out of the sandbox.
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
  const [program = "", ...words] = bubblewrap({ hidden, scratch: [], read: [], write: [] }, "/");
  const { status, stderr, error } = spawnSync(program, [...words, "true"], {
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
