/** Issues in git: on a branch, and every id that any branch or past commit ever used. */
import type { Git } from "./git.ts";
import { gitOr, zeroed } from "./git.ts";

const pathspecs = ["issues", "Issues"] as const;

/** Paths of Markdown files below the issue folders at `ref`. */
export async function issuePathsAt(git: Git, ref: string): Promise<string[]> {
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", ref, "--", ...pathspecs];
  return zeroed(await git(args)).filter((path) => path.endsWith(".md"));
}

/** Paths of files at `ref` whose front matter names `id`. */
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

/** Every path below the issue folders in the history of any ref: ids are never used again. */
export async function issuePathsEver(git: Git): Promise<string[]> {
  const args = ["log", "--all", "--diff-filter=AR", "--name-only", "--format=", "-z", "--", ...pathspecs];
  return zeroed(await gitOr(git(args), "")).map((path) => path.trim());
}

/** The `source:` line of every issue on the branches that match the patterns, with one branch that has it. */
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
  const hits = await gitOr(git(args), "");
  // Each line of grep's output is COMMIT:PATH, a NUL and the matching line.
  return hits.split("\n").flatMap((hit) => {
    const [, commit = "", path = "", line = ""] = /^([0-9a-f]+):([^\0]*)\0(.*)$/s.exec(hit) ?? [];
    return path.endsWith(".md") ? [{ path, line, branch: branchOf.get(commit) ?? commit }] : [];
  });
}

/** A Markdown file below the issue folders, and the blob of its text. */
export type IssueBlob = { path: string; object: string };

/** All issue files at `ref`, without their texts. */
export async function issueBlobsAt(git: Git, ref: string): Promise<IssueBlob[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", ref, "--", ...pathspecs];
  return zeroed(await git(args)).flatMap((entry) => {
    const [, mode = "", object = "", path = ""] = /^(\d+) \w+ (\w+)\t([\s\S]*)$/.exec(entry) ?? [];
    return mode.startsWith("100") && path.endsWith(".md") ? [{ object, path }] : [];
  });
}

/** More blobs than this are read by a process of their own. */
const askedMax = 100;

/**
 * The texts of blobs, in order, read by one process. A batch whose byte counts do not match is read in halves: a blob that is
 * not UTF-8 changes its length when it is decoded.
 */
export async function textsOf(git: Git, objects: readonly string[]): Promise<string[]> {
  if (objects.length === 0) return [];
  const [first, ...others] = objects;
  const answers =
    objects.length > askedMax
      ? []
      : await Promise.all(objects.map(async (one) => git.ask?.("contents", one)));
  const texts = answers.flatMap((one) => (one && one !== "nothing" ? [one.content.toString()] : []));
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

/** Those of `paths` that existed when `path` first contained `word`: the author meant one of them. Empty if that is unknown. */
export async function thereWhenNamed(
  git: Git,
  { path, word, paths }: { path: string; word: string; paths: readonly string[] },
): Promise<string[]> {
  const log = await gitOr(git(["log", "--format=%H", `-S${word}`, "--", `:(top,literal)${path}`]), "");
  const first = log.trim().split("\n").at(-1) ?? "";
  if (first === "") return [];
  return zeroed(await git(["ls-tree", "-z", "--name-only", "--full-tree", first, "--", ...paths]));
}
