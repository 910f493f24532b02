/** The objects that a push would send: those that no ref of the remote holds. */
import { MonocoError } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import { gitOr } from "../git.ts";
import type { Git } from "../git.ts";
import { commitsOf } from "../repository.ts";

/** `path` is that of a file or folder; empty for a commit and for the folder of all files. */
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

/** Reads an object of at most `bytesMax` bytes by the reader of `keepGit`. */
export async function readObject(git: Git, leaving: Leaving, bytesMax: number): Promise<Read> {
  const { object } = leaving;
  const info = await git.ask?.("info", object);
  if (!info || info === "nothing") throw new MonocoError("person", t`git cannot read object ${object}`);
  const { type, bytes } = info;
  const read = bytes > bytesMax ? undefined : await git.ask?.("contents", object);
  return { ...leaving, type, bytes, content: read && read !== "nothing" ? read.content : undefined };
}

/** The newest commit of `tips` that brings the content of a file or folder in, in short; undefined if no commit does. */
export async function broughtBy(
  git: Git,
  tips: readonly string[],
  object: string,
): Promise<string | undefined> {
  if (tips.length === 0) return undefined;
  const input = tips.map((tip) => `${tip}\n`).join("");
  const asked = ["log", "-1", "-t", "--format=%h", `--find-object=${object}`, "--stdin"];
  return (await gitOr(git(asked, { input }), "")).trim() || undefined;
}
