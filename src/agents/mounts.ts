/** The mounts that a sandbox is made of; sandbox.ts spells them for bubblewrap. */
import { lstatSync, readlinkSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { attempt } from "../core/error/attempt.ts";
import type { NetworkView } from "./network/words.ts";

/** The parts of the file system that a program sees besides the system itself. Absolute paths; missing ones are left out. */
export type View = {
  /** Replaced by empty folders, which are closed so that nothing is written there by mistake. */
  hidden: readonly string[];
  /** Replaced by empty, writable folders. Their contents are lost when the program ends. */
  scratch: readonly string[];
  /** Read-only, even below hidden folders. */
  read: readonly string[];
  write: readonly string[];
  /** Read-only at another path. */
  shown?: readonly (readonly [from: string, at: string])[];
  /**
   * Writable folders that appear at another path, which need not exist. Each `from` is in a folder that `write` names, so a
   * session may have put a link in its place: the sandbox links to it, and never mounts it. Without `from` the place is empty.
   */
  placed?: readonly (readonly [from: string | undefined, at: string])[];
  /** Files and folders that are shown empty and read-only. */
  secret?: readonly string[];
  /** Without this, the whole network. */
  network?: NetworkView | undefined;
  /** Results of an earlier look at paths. */
  entries?: Entries;
};

/** The mount at one path; everything else is the system, read-only. */
export type Mount = { at: string } & (
  | { as: "write" }
  /** `from`: what is shown there, if not the path itself. */
  | { as: "read"; from?: string }
  /** A new folder, which can be written to unless it is `closed`. */
  | { as: "folder"; closed: boolean }
  /** An empty file. */
  | { as: "file" }
  | { as: "link"; to: string }
);

type Mounts = ReadonlyMap<string, Mount>;

/** The mounts of a view, outer ones first, so that a path in a hidden folder can be shown. The last entry for a path counts. */
export function mountsOf(view: View): Mount[] {
  const { hidden, scratch, write, shown = [], placed = [], secret = [], network, entries = [] } = view;
  // A path that was missing may exist by now.
  const walked = walker(new Map([...entries].filter(([, { isThere }]) => isThere)));
  const read = network?.proxy === undefined ? view.read : [...view.read, network.proxy];
  const real = (paths: readonly string[]): string[] => [
    ...new Set(paths.map(walked).flatMap((one) => (one.isThere ? [one.real] : []))),
  ];
  const mounts = new Map<string, Mount>();
  for (const at of real(hidden)) mounts.set(at, { at, as: "folder", closed: true });
  for (const at of real(scratch)) mounts.set(at, newFolder(at));
  for (const at of real(read)) mounts.set(at, { at, as: "read" });
  for (const [from, at] of shown.map((pair) => [walked(pair[0]), walked(pair[1])] as const))
    if (from.isThere) mounts.set(at.real, { at: at.real, as: "read", from: from.real });
  const writable = real(write);
  for (const at of writable) mounts.set(at, { at, as: "write" });
  for (const at of real(secret)) if (!isEmptied(at, mounts)) mounts.set(at, emptied(at));
  // Mounts the folders between a writable folder and a mount below it: otherwise a program could move them away, with the mount.
  for (const at of [...mounts.keys()].flatMap((one) => between(one, writable)))
    if (!mounts.has(at)) mounts.set(at, { at, as: "write" });
  const places = placed.map(([from, at]) => ({ from, ...walked(at) }));
  for (const { from, real: place } of places) {
    const above = lastAbove(place, mounts);
    const isShut = above !== undefined && isClosed(above);
    const mount = placing({ from, at: place }, mounts) ?? (isShut ? newFolder(place) : undefined);
    if (mount === undefined) continue;
    // In a hidden folder a program could not write next to the place.
    const beside = folderOf(place);
    const around = lastAbove(beside, mounts);
    if (isShut && around && isClosed(around) && !mounts.has(beside)) mounts.set(beside, newFolder(beside));
    mounts.set(place, mount);
  }
  // All links of a path: one may lead to the next.
  const links = [...[...read, ...write].map(walked), ...places].flatMap((one) => one.links);
  for (const [at, to] of links) if (isEmptied(folderOf(at), mounts)) mounts.set(at, { at, as: "link", to });
  return needed([...mounts.values()]);
}

/** The mounts in order, without those that change nothing: each costs time. */
function needed(mounts: readonly Mount[]): Mount[] {
  const kept = new Map<string, Mount>();
  const inOrder = mounts.map((mount) => [depthOf(mount.at), mount] as const).toSorted(([a], [b]) => a - b);
  for (const [, mount] of inOrder) {
    const above = lastAbove(folderOf(mount.at), kept);
    const isShown =
      mount.as === "read" &&
      mount.from === undefined &&
      (above ? above.as === "read" : !/^\/(?:dev|proc)\//.test(mount.at));
    const isGone = isClosed(mount) && above !== undefined && isClosed(above);
    if (!isShown && !isGone) kept.set(mount.at, mount);
  }
  return [...kept.values()];
}

function newFolder(at: string): Mount {
  return { at, as: "folder", closed: false };
}

export function isClosed(mount: Mount): boolean {
  return mount.as === "folder" && mount.closed;
}

/**
 * A link in an emptied folder; elsewhere an empty folder in place of an existing one that is not the system's. A path that
 * `write` names, or that has a mount below it, is left alone.
 */
function placing({ from, at }: { from: string | undefined; at: string }, mounts: Mounts): Mount | undefined {
  const inside = `${at}/`;
  if (mounts.has(at) || lastAbove(at, mounts)?.as === "write") return undefined;
  if ([...mounts.keys()].some((one) => one.startsWith(inside))) return undefined;
  if (isEmptied(at, mounts)) return from === undefined ? undefined : { at, as: "link", to: from };
  const isDeep = depthOf(at) >= (/^\/(?:usr|etc|var|lib\w*|dev|proc|sys)\//.test(at) ? 3 : 2);
  const isFolder = statSync(at, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isDeep && isFolder ? newFolder(at) : undefined;
}

function emptied(at: string): Mount {
  return statSync(at).isDirectory() ? { at, as: "folder", closed: true } : { at, as: "file" };
}

/** The folders between one of `outer` and a mount below it, the innermost first. */
export function between(path: string, outer: readonly string[]): string[] {
  const above = folderOf(path);
  return outer.some((folder) => above.startsWith(`${folder}/`)) ? [above, ...between(above, outer)] : [];
}

/** The target of a path, and every link on the way. */
type Walk = { real: string; isThere: boolean; links: [link: string, target: string][] };

/** The kernel's own limit on links in a path. */
const hopsMax = 40;

export type Walker = (path: string) => Walk;
export type Entries = Map<string, Entry>;

/** Resolves paths, looking at each place once and adding it to `entries`. */
export function walker(entries: Entries = new Map()): Walker {
  const walks = new Map<string, Walk>();
  return (path) => {
    const walked = walks.get(path) ?? walk(path, entries);
    walks.set(path, walked);
    return walked;
  };
}

function walk(path: string, entries: Entries): Walk {
  const links: Walk["links"] = [];
  const parts = path.split("/");
  let real = "/";
  let isThere = true;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === "" || part === ".") continue;
    const next = part === ".." ? folderOf(real) : `${real === "/" ? "" : real}/${part}`;
    const entry: Entry = isThere || part === ".." ? (entries.get(next) ?? entryAt(next)) : nothing;
    entries.set(next, entry);
    const { target } = entry;
    if (target === undefined || links.length >= hopsMax) {
      real = next;
      isThere = entry.isThere && target === undefined;
      continue;
    }
    links.push([next, target]);
    if (isAbsolute(target)) real = "/";
    isThere = true;
    parts.unshift(...target.split("/"));
  }
  return { real, isThere, links };
}

/** `target` is the target of a link. */
type Entry = { isThere: boolean; target?: string };

const nothing: Entry = { isThere: false };

function entryAt(path: string): Entry {
  // lstat comes first: most paths are not links, and readlink would throw, which is slow.
  return attempt(() => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat?.isSymbolicLink()
      ? { isThere: true, target: readlinkSync(path) }
      : { isThere: stat !== undefined };
  }, nothing);
}

/** Whether the last mount at or above `path` is an empty folder. */
function isEmptied(path: string, mounts: Mounts): boolean {
  return lastAbove(path, mounts)?.as === "folder";
}

/** The folder of a path without empty parts; `dirname` takes several times as long. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/";

export function lastAbove(path: string, mounts: Mounts): Mount | undefined {
  const mount = mounts.get(path);
  return mount ?? (path === "/" ? undefined : lastAbove(folderOf(path), mounts));
}

function depthOf(path: string): number {
  return path.split("/").filter((part) => part !== "").length;
}
