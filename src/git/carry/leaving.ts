/** The objects that a push would send: those that no ref of the remote holds. */
import { gitOr } from "../git.ts";
import type { Git } from "../git.ts";
import { commitsOf } from "../repository.ts";

/** `path` is that of a file or folder; empty for a commit. */
export type Leaving = { object: string; path: string };

/** `held` are the objects of the remote's refs, of which this repository may have none. */
export async function objectsLeaving(
  git: Git,
  tips: readonly string[],
  held: readonly string[],
): Promise<Leaving[]> {
  const known = (await commitsOf(git, [...new Set(held)])).filter((commit) => commit !== undefined);
  const input = [...tips, ...known.map((commit) => `^${commit}`)].map((line) => `${line}\n`).join("");
  const listed = await git(["rev-list", "--objects", "--stdin"], { input });
  return listed
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [object = ""] = line.split(" ", 1);
      return { object, path: line.slice(object.length + 1) };
    });
}

/** The text of a file or of a commit with its header; undefined for a folder. */
export async function textOf(git: Git, object: string): Promise<string | undefined> {
  const read = await git.ask?.("contents", object);
  if (read && read !== "nothing") return read.type === "tree" ? undefined : read.content.toString();
  const type = (await git(["cat-file", "-t", object])).trim();
  return type === "tree" ? undefined : git(["cat-file", type, object]);
}

/** The newest commit of `tip` that brings a file's content in, in short; undefined if no commit does. */
export async function broughtBy(git: Git, tip: string, object: string): Promise<string | undefined> {
  const found = await gitOr(git(["log", "-1", "--format=%h", `--find-object=${object}`, tip, "--"]), "");
  return found.trim() || undefined;
}
