/** Issues as git knows them: on a branch, and every id that any branch or any past commit ever gave. */
import type { Git } from "./git.ts";
import { gitOr, zeroed } from "./git.ts";

const pathspecs = ["issues", "Issues"] as const;

/** Paths of Markdown files below the issue folders at `ref`. */
export async function issuePathsAt(git: Git, ref: string): Promise<string[]> {
  const listed = await git(["ls-tree", "-r", "-z", "--name-only", "--full-tree", ref, "--", ...pathspecs]);
  return zeroed(listed).filter((path) => path.endsWith(".md"));
}

/** Paths at `ref` whose front matter names the id. */
export async function issuePathsNaming(git: Git, ref: string, id: string): Promise<string[]> {
  const args = [
    "grep",
    "-l",
    "-z",
    "-E",
    `^id:[[:space:]]*["']?${id}["']?[[:space:]]*(#.*)?$`,
    ref,
    "--",
    ...pathspecs,
  ];
  return zeroed(await gitOr(git(args), "")).map((path) => path.slice(ref.length + 1));
}

/** Every path below the issue folders that any ref's history ever added: ids are never used again. */
export async function issuePathsEver(git: Git): Promise<string[]> {
  const args = ["log", "--all", "--diff-filter=AR", "--name-only", "--format=", "-z", "--", ...pathspecs];
  return zeroed(await gitOr(git(args), "")).map((path) => path.trim());
}

/** The `source:` line of every issue on the branches that these patterns name, with a branch that has it. */
export async function sourcesOn(
  git: Git,
  patterns: readonly string[],
): Promise<{ path: string; line: string; branch: string }[]> {
  const format = "--format=%(objectname) %(refname:short)";
  const refs = (await git(["for-each-ref", format, ...patterns])).trim().split("\n");
  const branchOf = new Map(
    refs.map((ref) => [ref.slice(0, ref.indexOf(" ")), ref.slice(ref.indexOf(" ") + 1)]),
  );
  const commits = [...branchOf.keys()].filter((commit) => commit !== "");
  if (commits.length === 0) return [];
  const args = ["grep", "-z", "--full-name", "-E", "-e", "^source:", ...commits, "--", ...pathspecs];
  const found = await gitOr(git(args), "");
  // Each is COMMIT:PATH, a NUL, the line.
  return found.split("\n").flatMap((hit) => {
    const [, commit = "", path = "", line = ""] = /^([0-9a-f]+):([^\0]*)\0(.*)$/s.exec(hit) ?? [];
    return path.endsWith(".md") ? [{ path, line, branch: branchOf.get(commit) ?? commit }] : [];
  });
}
