/** Issues as git knows them: on a branch, and every id that any branch or any past commit ever gave. */
import type { Git } from "./git.ts";
import { gitOr, zeroed } from "./git.ts";

const pathspecs = ["issues", "Issues"] as const;

/** Paths of Markdown files below the issue folders at `ref`. */
export async function issuePathsAt(git: Git, ref: string): Promise<string[]> {
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", ref, "--", ...pathspecs];
  return zeroed(await git(args)).filter((path) => path.endsWith(".md"));
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

/** A Markdown file below the issue folders, and the blob that is its text. */
export type IssueBlob = { path: string; object: string };

/** All of them at `ref`, unread. */
export async function issueBlobsAt(git: Git, ref: string): Promise<IssueBlob[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", ref, "--", ...pathspecs];
  return zeroed(await git(args)).flatMap((entry) => {
    const [, mode = "", object = "", path = ""] = /^(\d+) \w+ (\w+)\t([\s\S]*)$/.exec(entry) ?? [];
    return mode.startsWith("100") && path.endsWith(".md") ? [{ object, path }] : [];
  });
}

/** More texts than these are asked of a process of their own. */
const askedMax = 100;

/** The texts of blobs, in order: one process, however many there are. In halves where the bytes do not add up: a file that is not UTF-8 is shorter or longer as text. */
export async function textsOf(git: Git, objects: readonly string[]): Promise<string[]> {
  if (objects.length === 0) return [];
  const [first, ...others] = objects;
  const known =
    objects.length > askedMax
      ? []
      : await Promise.all(objects.map(async (one) => git.ask?.("contents", one)));
  const texts = known.flatMap((one) => (one && one !== "nothing" ? [one.content.toString()] : []));
  if (texts.length === objects.length) return texts;
  if (others.length === 0) return [await git(["cat-file", "blob", first!])];
  const input = objects.map((object) => `${object}\n`).join("");
  const all = Buffer.from(await git(["cat-file", "--batch"], { input }));
  texts.length = 0;
  let at = 0;
  for (const object of objects) {
    const end = all.indexOf("\n", at);
    const bytes = Number(all.toString("utf8", at, end).match(`^${object} blob (\\d+)$`)?.[1] ?? NaN);
    const next = end + 1 + bytes;
    if (Number.isNaN(bytes) || all[next] !== 10) {
      const half = Math.ceil(objects.length / 2);
      return [...(await textsOf(git, objects.slice(0, half))), ...(await textsOf(git, objects.slice(half)))];
    }
    texts.push(all.toString("utf8", end + 1, next));
    at = next + 1;
  }
  return texts;
}

/** Which of `paths` were there when `path` first named `word`: whoever wrote it meant one of these. Empty where nobody knows. */
export async function thereWhenNamed(
  git: Git,
  { path, word, paths }: { path: string; word: string; paths: readonly string[] },
): Promise<string[]> {
  const log = await gitOr(git(["log", "--format=%H", `-S${word}`, "--", `:(top,literal)${path}`]), "");
  const first = log.trim().split("\n").at(-1) ?? "";
  if (first === "") return [];
  return zeroed(await git(["ls-tree", "-z", "--name-only", "--full-tree", first, "--", ...paths]));
}
