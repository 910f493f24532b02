/** Fills a clone's submodules, at the recorded commits, from those that the person has initialised: nothing is downloaded. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { submodulesMax } from "../../core/limits.ts";
import { copyObjects, lend, lentBy } from "../copy-objects.ts";
import { isOwnFolder, removeTree } from "../folders.ts";
import { gitAt, gitIn, gitOr, zeroed } from "../git.ts";
import type { Git } from "../git.ts";
import { identityOf } from "../identity.ts";
import { commitOf, fileAt } from "../repository.ts";
import { makeGitDir } from "./git-dir.ts";
import { namesFor } from "./names.ts";
import { remoteEntries, remotesOf } from "./remotes.ts";

/** A submodule as a tree records it. */
export type Module = { name: string; path: string; commit: string };

/** The submodules of a commit or tree that .gitmodules names. */
export async function modulesAt(git: Git, tree: string): Promise<Module[]> {
  if ((await fileAt(git, tree, ".gitmodules")) === undefined) return [];
  const listed = await gitOr(git([...pathsIn, `--blob=${tree}:.gitmodules`, ...pathsOf]), "");
  const named = zeroed(listed).flatMap((entry) => {
    const [, name = "", path = ""] = /^submodule\.(.+)\.path\n(.+)$/.exec(entry) ?? [];
    // Git itself refuses such a name: it would lead out of .git/modules.
    return name === "" || name.split("/").includes("..") ? [] : [{ name, path }];
  });
  if (named.length === 0) return [];
  const paths = named.slice(0, submodulesMax).map(({ path }) => path);
  const entries = zeroed(await git(["ls-tree", "-z", "--full-tree", tree, "--", ...paths]));
  const links = new Map(
    entries.flatMap((entry): [string, string][] => {
      const [, commit, path] = /^160000 commit ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? [];
      return commit !== undefined && path !== undefined ? [[path, commit]] : [];
    }),
  );
  return named.flatMap((one) => {
    const commit = links.get(one.path);
    return commit === undefined ? [] : [{ ...one, commit }];
  });
}

const pathsIn = ["config", "--null"];
const pathsOf = ["--get-regexp", "^submodule\\..*\\.path$"];

/** A repository, or a submodule of it, with its copy in the clone. */
export type Superproject = {
  /** The person's: its git directory, and a folder where git may run. */
  lender: string;
  root: string;
  /** The clone's git directory and worktree. */
  gitDir: string;
  folder: string;
  commit: string;
};

type How = {
  clones: "borrowed" | "copied";
  sandboxed?: boolean | undefined;
  /** `stay`: the submodule's files are not touched, and one without a `.git` is left alone. */
  files: "write" | "stay";
  stop?: AbortSignal | undefined;
};

/** Fills the submodules of one clone or submodule, and theirs. One whose recorded commit the person does not have stays empty. */
export async function fillModules(of: Superproject, how: How): Promise<void> {
  const { lender, root, gitDir, folder, commit } = of;
  const person = gitAt(lender, root);
  const modules = await modulesAt(person, commit);
  if (modules.length === 0) return;
  const begun = await gitOr(person([...pathsIn, "--get-regexp", "^submodule\\..*\\.url$"]), "");
  const initialised = new Set(
    zeroed(begun).map((entry) => entry.slice("submodule.".length, entry.indexOf("\n"))),
  );
  for (const { name, path, commit: recorded } of modules) {
    const from = join(lender, "modules", name);
    if (!initialised.has(`${name}.url`) || !existsSync(join(from, "objects"))) continue;
    if (!(await commitOf(gitAt(from, root), recorded))) continue;
    const at = join(folder, path);
    if (how.files === "write") makeFolder(folder, path);
    else if (!existsSync(join(at, ".git")) || !foldersTo(folder, path).every(isOwnFolder)) continue;
    const module = {
      lender: from,
      root,
      gitDir: join(gitDir, "modules", name),
      folder: at,
      commit: recorded,
    };
    await fillModule(module, how);
    await gitAt(gitDir, folder)(["config", `submodule.${name}.active`, "true"]);
    await fillModules(module, how);
  }
}

async function fillModule(of: Superproject, how: How): Promise<void> {
  const { lender, root, gitDir, folder, commit } = of;
  const person = gitAt(lender, root);
  const objects = join(lender, "objects");
  for (const path of [gitDir, join(folder, ".git")]) removeTree(path);
  mkdirSync(dirname(gitDir), { recursive: true });
  await makeGitDir(gitIn(folder), folder, {
    gitDir,
    branch: "main",
    refs: { HEAD: commit },
    names: await namesFor(person, commit, []),
    identity: await identityOf(person),
    entries: [
      ["core.worktree", relative(gitDir, folder)],
      ...(how.sandboxed ? remoteEntries(await remotesOf(person, root)) : []),
    ],
    unfiltered: true,
    fill: (to) =>
      how.clones === "borrowed"
        ? lend([objects, ...lentBy(objects)], to)
        : copyObjects(objects, to, how.stop),
  });
  // Git's own is absolute, and a clone may be moved.
  writeFileSync(join(folder, ".git"), `gitdir: ${relative(folder, gitDir)}\n`);
  const own = gitAt(gitDir, folder);
  await own(["read-tree", "HEAD"]);
  if (how.files === "write") await own(writeMissing, { stop: how.stop });
}

/** Writes missing and changed files of the index. Other commands follow a link in place of a folder, and see no change. */
export const writeMissing = [
  "-c",
  "checkout.workers=2",
  "checkout-index",
  "--quiet",
  "--force",
  "--all",
  "--index",
];

/** The folders on the way to a path below `folder`, with the path itself. */
function foldersTo(folder: string, path: string): string[] {
  return path.split("/").map((_, at, names) => join(folder, ...names.slice(0, at + 1)));
}

/** Makes a folder, in the place of links and files on the way: a command may have put them there. */
function makeFolder(folder: string, path: string): void {
  for (const at of foldersTo(folder, path)) {
    if (isOwnFolder(at)) continue;
    removeTree(at);
    mkdirSync(at);
  }
}
