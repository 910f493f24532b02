/** Uncommitted work as a commit: files enumerated by us, with a trusted git directory and an index of its own. */
import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { snapshotFileBytesMax, snapshotFilesMax } from "../core/limits.ts";
import { gitIn, zeroed } from "./git.ts";
import { identityOf, treeOf } from "./repository.ts";

export type Snapshot = {
  /** The tree of all files, tracked and untracked, that are work. */
  tree: string;
  /** Files that differ from `head`. */
  uncommitted: string[];
  /** What was left out, and why, in words. */
  leftOut: string[];
};

/**
 * Takes the tree of `workspace` on top of `head`, into the person's object store. No filter, attribute or hook of the
 * workspace takes effect (a bare git directory of our own says `* -filter …` above all others). Nested repositories, RALPH.md and
 * masses of unignored files are left out and said.
 */
export async function takeSnapshot(root: string, workspace: string, head: string): Promise<Snapshot> {
  const trusted = gitIn(root);
  const objects = (await trusted(["rev-parse", "--path-format=absolute", "--git-path", "objects"])).trim();
  const own = mkdtempSync(join(tmpdir(), "monoco-snapshot-"));
  try {
    await gitIn(own)(["init", "--quiet", "--bare", "--template=", "."]);
    const env = {
      GIT_DIR: own,
      GIT_OBJECT_DIRECTORY: objects,
      GIT_INDEX_FILE: join(own, "index"),
      GIT_WORK_TREE: workspace,
    };
    mkdirSync(join(own, "info"), { recursive: true });
    writeFileSync(join(own, "info", "attributes"), "* -filter -text -ident -working-tree-encoding\n");
    writeFileSync(join(own, "info", "exclude"), "/RALPH.md\n");
    const run = (args: string[], input?: string): Promise<string> =>
      gitIn(workspace)(args, { env, ...(input === undefined ? {} : { input }) });
    await run(["read-tree", head]);
    const tracked = zeroed(
      await run([
        "diff-files",
        "--name-only",
        "-z",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=all",
      ]),
    );
    const { taken, leftOut } = choose(
      workspace,
      zeroed(await run(["ls-files", "--others", "--exclude-standard", "-z"])),
    );
    const paths = [...tracked, ...taken];
    if (paths.length > 0)
      await run(["update-index", "--add", "--remove", "-z", "--stdin"], `${paths.join("\0")}\0`);
    const tree = (await run(["write-tree"])).trim();
    const uncommitted = tree === (await treeOf(trusted, head)) ? [] : await namesBetween(root, head, tree);
    return { tree, uncommitted, leftOut };
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function choose(workspace: string, untracked: string[]): { taken: string[]; leftOut: string[] } {
  const leftOut: string[] = [];
  const taken: string[] = [];
  for (const path of untracked) {
    if (path.endsWith("/")) leftOut.push(`${path} (a repository of its own)`);
    else if (!isWork(join(workspace, path))) leftOut.push(`${path} (not a file of a sane size)`);
    else taken.push(path);
  }
  if (taken.length <= snapshotFilesMax) return { taken, leftOut };
  return { taken: [], leftOut: [...leftOut, `${taken.length} untracked files that nothing ignores`] };
}

function isWork(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return (
    stat !== undefined && (stat.isSymbolicLink() || (stat.isFile() && stat.size <= snapshotFileBytesMax))
  );
}

/** Names of the files that differ between two trees or commits. */
export async function namesBetween(root: string, from: string, to: string): Promise<string[]> {
  return zeroed(await gitIn(root)(["diff-tree", "-r", "--name-only", "-z", "--no-renames", from, to]));
}

/** Keeps a tree as a commit on `head` under `ref`; returns the commit. */
export async function keepTree(
  root: string,
  keep: { tree: string; head: string; ref: string; message: string },
): Promise<string> {
  const git = gitIn(root);
  const { name, email } = await identityOf(git);
  const identity = ["-c", `user.name=${name}`, "-c", `user.email=${email}`];
  const commit = (
    await git([...identity, "commit-tree", keep.tree, "-p", keep.head, "-m", keep.message])
  ).trim();
  await git(["update-ref", keep.ref, commit]);
  return commit;
}
