/** The notes of merges, under one ref that a fetch can name. */
import { gitOr } from "../git.ts";
import type { Git } from "../git.ts";
import { identityOf } from "../identity.ts";
import { blobAt, unanswered } from "../repository.ts";
import { t } from "../../core/language/translate.ts";

export const notesRef = "refs/notes/monoco";

const notes = ["notes", `--ref=${notesRef}`];

/** The note of a commit; undefined if it has none. */
export async function noteOf(git: Git, commit: string): Promise<string | undefined> {
  const blob = (await gitOr(git([...notes, "list", commit]), "")).trim();
  return blob === "" ? undefined : blobAt(git, blob);
}

/** Every commit that has a note, with the note's blob. */
export async function allNotes(git: Git): Promise<Map<string, string>> {
  const lines = (await gitOr(git([...notes, "list"]), "")).split("\n").filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [blob = "", commit = ""] = line.split(" ");
      return [commit, blob];
    }),
  );
}

/** Replaces the note of a commit, which need not be here. Only one caller at a time: git moves the ref whatever it is by then. */
export async function writeNote(git: Git, commit: string, text: string): Promise<void> {
  await git([...notes, "add", "-f", "-F", "-", commit], { input: text, env: await asPerson(git) });
}

/** The environment in which `git notes` commits as the person. */
export async function asPerson(git: Git): Promise<Record<string, string>> {
  const { name, email } = await identityOf(git);
  const who = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email };
  return { ...who, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

/**
 * The diff between two commits without what depends on the place: line numbers and the ids of blobs. It is the same for a
 * change that was applied elsewhere.
 */
export async function patchText(git: Git, from: string, to: string): Promise<string> {
  return placeless(await git([...diffTree, from, to]));
}

/** The same for many commits, each with the one before it, from one process. */
export async function patchTexts(
  git: Git,
  pairs: readonly { commit: string; before: string }[],
): Promise<Map<string, string>> {
  const input = pairs.map(({ commit, before }) => `${commit} ${before}\n`).join("");
  const output = await git([...diffTree, "--stdin", "--always"], { input });
  // No line of a diff is an id alone: even those of binary files have other lengths.
  const [, ...parts] = output.split(/^([0-9a-f]{40}|[0-9a-f]{64})\n/m);
  const texts = parts.flatMap((id, at) => (at % 2 === 0 ? [[id, placeless(parts[at + 1]!)] as const] : []));
  if (texts.length !== pairs.length)
    throw unanswered(t`git diff-tree answered for ${texts.length} of ${pairs.length} commits`);
  return new Map(texts);
}

const diffTree = ["diff-tree", "-r", "-p", "--binary", "--no-renames", "--no-ext-diff", "--no-textconv"];

const placeless = (diff: string): string =>
  diff.replaceAll(/^index .*\n/gm, "").replaceAll(/^@@ .*$/gm, "@@");
