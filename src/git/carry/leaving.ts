/** The objects that a push would send: those that no ref of the remote holds. */
import { MonocoError } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import { gitOr } from "../git.ts";
import type { Git } from "../git.ts";
import { commitsOf } from "../repository.ts";

/** `path` is that of a file or folder; empty for a commit. */
export type Leaving = { object: string; path: string };

/** An object with its size; `content` is missing if that is larger than asked for. */
export type Read = Leaving & { type: string; bytes: number; content: Buffer | undefined };

/** Those of the remote's objects `held` that are here. */
export async function heldHere(git: Git, held: readonly string[]): Promise<string[]> {
  return (await commitsOf(git, [...new Set(held)])).filter((commit) => commit !== undefined);
}

export async function objectsLeaving(
  git: Git,
  tips: readonly string[],
  known: readonly string[],
): Promise<Leaving[]> {
  const listed = await git(["rev-list", "--objects", "--stdin"], { input: rangeOf(tips, known) });
  return listed
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [object = ""] = line.split(" ", 1);
      return { object, path: line.slice(object.length + 1) };
    });
}

/** The names of the files that each commit changes, a line each, quoted as git does it; of a merge, those that differ from each parent. */
export async function namesLeaving(
  git: Git,
  tips: readonly string[],
  known: readonly string[],
): Promise<Map<string, string>> {
  const which = ["--root", "--name-only", "--no-renames", "--no-relative", "--diff-merges=combined"];
  const listed = await git(["log", "--format=%x00%H", ...which, "--stdin"], { input: rangeOf(tips, known) });
  const commits = listed.split("\0").map((one) => one.trim().split(/\n+/));
  return new Map(commits.map(([commit = "", ...names]) => [commit, names.join("\n")]));
}

const rangeOf = (tips: readonly string[], known: readonly string[]): string =>
  [...tips, ...known.map((commit) => `^${commit}`)].map((line) => `${line}\n`).join("");

/** Reads an object of at most `bytesMax` bytes by the reader of `keepGit`. */
export async function readObject(git: Git, leaving: Leaving, bytesMax: number): Promise<Read> {
  const { object } = leaving;
  const info = await git.ask?.("info", object);
  if (!info || info === "nothing") throw new MonocoError("person", t`git cannot read object ${object}`);
  const { type, bytes } = info;
  const read = bytes > bytesMax ? undefined : await git.ask?.("contents", object);
  return { ...leaving, type, bytes, content: read && read !== "nothing" ? read.content : undefined };
}

/**
 * The oldest commit of `tips`, and not of `known`, that brings the content of a file in; where `known` has it, one that brings it
 * in or removes it. Undefined if there is none, as where a merge made it.
 */
export async function firstWith(
  git: Git,
  object: string,
  { tips, known = [] }: { tips: readonly string[]; known?: readonly string[] },
): Promise<string | undefined> {
  if (tips.length === 0) return undefined;
  // By date, commits of one second may come before those that they are made on.
  const asked = ["log", "--topo-order", "--format=%H", `--find-object=${object}`, "--stdin"];
  const commits = await gitOr(git(asked, { input: rangeOf(tips, known) }), "");
  return commits.trim().split("\n").at(-1) || undefined;
}
