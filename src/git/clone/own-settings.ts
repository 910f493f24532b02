/**
 * Keeps the hooks and configuration of a clone that lives as long as its relay. Those that `setup` installed stay; a session's
 * changes are set aside, so that the next session, which may see another login, does not run what the last one planted.
 */
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { hash } from "node:crypto";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { gitDirsBelow, removeTree } from "../folders.ts";
import { gitOr, zeroed } from "../git.ts";
import type { Git } from "../git.ts";
import { resolvedFrom } from "./remotes.ts";

/** Files and folders of a git directory that can make git run a program or use another folder. */
const settings = ["config", "config.worktree", "hooks", "info/attributes"];

/** The folder of the kept settings, next to the workspace, where no sandbox shows it. */
export const keptSettings = (workspace: string): string => `${workspace}.settings`;

/** Keeps hooks and configuration, before anything but `setup` has run in the clone. */
export async function keepSettings(git: Git, workspace: string): Promise<void> {
  const kept = keptSettings(workspace);
  const half = `${kept}.half`;
  removeTree(half);
  mkdirSync(half);
  const own = join(workspace, ".git");
  for (const name of settingsIn(own)) copy(join(own, name), join(half, name));
  const path = (await entriesOf(git, join(own, "config")))?.get("core.hookspath")?.at(-1);
  if (path !== undefined && (await isOfSetUp(git, workspace, path))) {
    copy(join(workspace, path), join(half, hooksElsewhere, "files"));
    writeFileSync(join(half, hooksElsewhere, "path"), path);
  }
  removeTree(kept);
  renameSync(half, kept);
}

/** Where hooks are kept that `setup` put into the worktree, out of git's sight, as husky does. */
const hooksElsewhere = "hooks-elsewhere";

/** Whether a folder of the worktree has no tracked file: no review sees a change in it. */
async function isOfSetUp(git: Git, workspace: string, path: string): Promise<boolean> {
  const [here, at] = [realpathSync(workspace), attempt(() => realpathSync(join(workspace, path)), "")];
  if (isAbsolute(path) || at === "" || at !== join(here, path) || !at.startsWith(`${here}/`)) return false;
  const env = { GIT_INDEX_FILE: join(workspace, ".git", "index") };
  return (await gitOr(git(["ls-files", "--", `:(top,literal)${path}`], { env }), "?")) === "";
}

/** Names of settings and hooks that were set aside. */
export type SetAside = string[];

/**
 * Restores the kept hooks and configuration, but leaves entries that run nothing (`isInert`). Moves the changed ones to the
 * folder `aside` and returns their names. `git` runs in the person's repository and reads the configuration as plain files.
 */
export async function restoreSettings(git: Git, workspace: string, aside: string): Promise<SetAside> {
  const [own, kept] = [join(workspace, ".git"), keptSettings(workspace)];
  const changed: SetAside = [];
  if (!isThere(kept)) return changed;
  for (const name of settingsIn(own)) makeReadable(join(own, name));
  for (const name of new Set([...settingsIn(own), ...settingsIn(kept)])) {
    const [now, before] = [join(own, name), join(kept, name)];
    if (contentOf(now) === contentOf(before)) continue;
    const isConfig = /(?:^|\/)config(?:\.worktree)?$/.test(name) && isFile(now);
    const { inert, others } = isConfig
      ? await changedEntries(git, { name, now, before, workspace })
      : { inert: [], others: [name] };
    if (others.length > 0) {
      copy(now, join(aside, name));
      changed.push(...others);
    }
    removeTree(now);
    copy(before, now);
    for (const [key, values] of inert)
      for (const [at, value] of values.entries())
        await git(["config", "--file", now, at === 0 ? "--replace-all" : "--add", key, value]);
  }
  const elsewhere = join(kept, hooksElsewhere);
  const path = isFile(join(elsewhere, "path")) ? readFileSync(join(elsewhere, "path"), "utf8") : undefined;
  if (path !== undefined && leadsNowhereElse(workspace, path)) {
    makeReadable(join(workspace, path));
    if (contentOf(join(workspace, path)) !== contentOf(join(elsewhere, "files"))) {
      copy(join(workspace, path), join(aside, "worktree", path));
      removeTree(join(workspace, path));
      copy(join(elsewhere, "files"), join(workspace, path));
      changed.push(path);
    }
  }
  for (const path of await plantedModules(git, workspace)) {
    copy(join(workspace, path), join(aside, "worktree", path));
    removeTree(join(workspace, path));
    changed.push(path);
  }
  return changed;
}

/** Whether no folder on the way to a path of the workspace is a link. */
function leadsNowhereElse(workspace: string, path: string): boolean {
  const parent = attempt(() => realpathSync(dirname(join(workspace, path))), "");
  return parent === join(realpathSync(workspace), dirname(path));
}

/** Paths of settings in a git directory and in the git directories of its submodules and worktrees. */
function settingsIn(own: string, below = ""): string[] {
  // A submodule's git directory has no `commondir` of its own, as a worktree's has: there it would name another git directory.
  const names = below.startsWith("modules/") ? [...settings, "commondir"] : settings;
  const here = names
    .map((name) => join(below, name))
    .map((name) => (isLink(join(own, dirname(name))) && dirname(name) !== below ? dirname(name) : name))
    .filter((name) => isThere(join(own, name)));
  const places = ["modules", "worktrees"].map((name) => join(below, name));
  return [...here, ...places.flatMap((at) => (isLink(join(own, at)) ? [at] : settingsBelow(own, at)))];
}

/** A submodule's name may have slashes. A link leads to what is not the clone's: it is a setting itself. */
function settingsBelow(own: string, folder: string): string[] {
  return attempt(() => readdirSync(join(own, folder), { withFileTypes: true }), []).flatMap((entry) => {
    const inside = join(folder, entry.name);
    if (entry.isSymbolicLink()) return [inside];
    if (!entry.isDirectory()) return [];
    return isThere(join(own, inside, "HEAD")) ? settingsIn(own, inside) : settingsBelow(own, inside);
  });
}

/** `.git` paths of the clone's submodules that `git submodule` did not create: a status of the clone would run git there. */
async function plantedModules(git: Git, workspace: string): Promise<string[]> {
  const index = join(workspace, ".git", "index");
  if (!isFile(index)) return [];
  const listed = await gitOr(git(["ls-files", "--stage", "-z"], { env: { GIT_INDEX_FILE: index } }), "");
  const paths = zeroed(listed).filter((entry) => entry.startsWith("160000 "));
  const [here, own] = [realpathSync(workspace), join(workspace, ".git")];
  const moduleDirs = new Set(gitDirsBelow(own, "modules"));
  return paths
    .map((entry) => join(entry.slice(entry.indexOf("\t") + 1), ".git"))
    .filter((path) => {
      const at = join(workspace, path);
      // git does not go beyond a link, and no name in an index leads out of its worktree.
      if (!isThere(at) || !leadsNowhereElse(workspace, path) || !resolve(here, path).startsWith(`${here}/`))
        return false;
      const to = isFile(at) ? /^gitdir: ([^\n]*)\n?$/.exec(readFileSync(at, "utf8"))?.[1] : undefined;
      return to === undefined || !moduleDirs.has(resolve(dirname(at), to));
    });
}

type Entries = Map<string, string[]>;

async function changedEntries(
  git: Git,
  of: { name: string; now: string; before: string; workspace: string },
): Promise<{ inert: Entries; others: string[] }> {
  const now = await entriesOf(git, of.now);
  if (!now) return { inert: new Map(), others: [of.name] };
  const before = (isFile(of.before) && (await entriesOf(git, of.before))) || new Map<string, string[]>();
  const modules = (await entriesOf(git, join(of.workspace, ".gitmodules"))) ?? new Map<string, string[]>();
  const inert: Entries = new Map();
  const others = [...before.keys()].filter((key) => !now.has(key) && !isInert(of.name, key, []));
  for (const [key, values] of now) {
    if (values.join("\0") === before.get(key)?.join("\0")) continue;
    if (
      isInert(of.name, key, values) ||
      isPlace(of, key, values) ||
      isUrlOf(modules, key, values, before.get("remote.origin.url")?.at(-1) ?? of.workspace)
    )
      inert.set(key, values);
    else others.push(key);
  }
  return { inert, others: others.map((key) => (of.name === "config" ? key : `${of.name}: ${key}`)) };
}

/** Keys of a configuration file with their values; undefined if git cannot read the file. Includes are not followed. */
async function entriesOf(git: Git, path: string): Promise<Entries | undefined> {
  if (!isFile(path)) return undefined;
  const listed = await gitOr(git(["config", "--file", path, "--no-includes", "--null", "--list"]), undefined);
  if (listed === undefined) return undefined;
  const entries: Entries = new Map();
  for (const entry of zeroed(listed)) {
    const [key = "", ...value] = entry.split("\n");
    entries.set(key, [...(entries.get(key) ?? []), value.join("\n")]);
  }
  return entries;
}

/** Whether an entry makes git run nothing, whatever its value; for a submodule, also entries that `git submodule` writes. */
function isInert(name: string, key: string, values: readonly string[]): boolean {
  const plain =
    /^(?:branch\..*\.(?:merge|rebase|description)|core\.sparsecheckout(?:cone)?|extensions\.worktreeconfig|submodule\..*\.active)$/i;
  // A remote may be an address, and an address may name a program.
  if (/^branch\..*\.remote$/i.test(key)) return values.every((value) => /^[\w.-]+$/.test(value));
  const ofModule =
    /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|symlinks)|extensions\.objectformat|remote\..*\.(?:url|fetch))$/i;
  return plain.test(key) || (name.startsWith("modules/") && ofModule.test(key));
}

/** Whether a submodule's worktree is where its files are, in the clone. */
function isPlace(
  { name, now, workspace }: { name: string; now: string; workspace: string },
  key: string,
  [value = ""]: readonly string[],
): boolean {
  const isOwn = resolve(dirname(now), value).startsWith(`${workspace}/`) && !isAbsolute(value);
  return key === "core.worktree" && name.startsWith("modules/") && isOwn;
}

/** Whether `values` is the submodule's address in .gitmodules; git resolves a relative one from the clone's remote, or the clone. */
function isUrlOf(modules: Entries, key: string, values: readonly string[], from: string): boolean {
  const url = /^submodule\..*\.url$/i.test(key) ? (modules.get(key)?.[0] ?? "") : "";
  if (url === "" || values.length !== 1) return false;
  return values[0] === url || (/^\.\.?\//.test(url) && values[0] === resolvedFrom(from, url));
}

/** The content of a file or folder, with modes and links; "" if it does not exist. */
function contentOf(path: string): string {
  const stat = statOf(path);
  if (!stat) return "";
  if (stat.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  if (stat.isDirectory())
    // Git creates the sample hooks and does not run them.
    return readdirSync(path)
      .filter((name) => !name.endsWith(".sample"))
      .toSorted()
      .map((name) => `${name} ${contentOf(join(path, name))}\n`)
      .join("");
  return stat.isFile() ? `${stat.mode & 0o111} ${hash("sha256", readFileSync(path))}` : "other";
}

/** Gives the owner the right to read what a session has closed. */
function makeReadable(path: string): void {
  const stat = statOf(path);
  if (!stat?.isFile() && !stat?.isDirectory()) return;
  const wanted = stat.isDirectory() ? 0o700 : 0o600;
  if ((stat.mode & wanted) !== wanted) chmodSync(path, (stat.mode & 0o7777) | wanted);
  if (stat.isDirectory()) for (const name of readdirSync(path)) makeReadable(join(path, name));
}

function copy(from: string, to: string): void {
  if (!isThere(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  // Sockets and devices are no settings.
  const filter = (path: string): boolean => {
    const stat = lstatSync(path);
    return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink();
  };
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter });
}

/** Undefined also below a file. */
const statOf = (path: string) => attempt(() => lstatSync(path, { throwIfNoEntry: false }), undefined);
const isThere = (path: string): boolean => statOf(path) !== undefined;
const isFile = (path: string): boolean => statOf(path)?.isFile() === true;
const isLink = (path: string): boolean => statOf(path)?.isSymbolicLink() === true;
