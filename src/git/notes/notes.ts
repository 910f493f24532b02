/** The notes of merges, under one ref that a fetch can name. */
import { gitOr } from "../git.ts";
import type { Git } from "../git.ts";
import { identityOf } from "../identity.ts";
import { blobAt } from "../repository.ts";

export const notesRef = "refs/notes/monoco";

const notes = ["notes", `--ref=${notesRef}`];

/** The note of a commit; undefined if it has none. */
export async function noteOf(git: Git, commit: string): Promise<string | undefined> {
  const blob = (await gitOr(git([...notes, "list", commit]), "")).trim();
  return blob === "" ? undefined : blobAt(git, blob);
}

/** Every commit that has a note, with the note. */
export async function allNotes(git: Git): Promise<{ commit: string; note: string }[]> {
  const lines = (await gitOr(git([...notes, "list"]), "")).split("\n").filter(Boolean);
  const read = lines.map(async (line) => {
    const [blob = "", commit = ""] = line.split(" ");
    return { commit, note: (await blobAt(git, blob)) ?? "" };
  });
  return Promise.all(read);
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
  const form = ["-r", "-p", "--binary", "--no-renames", "--no-ext-diff", "--no-textconv"];
  const diff = await git(["diff-tree", ...form, from, to]);
  return diff.replaceAll(/^index .*\n/gm, "").replaceAll(/^@@ .*$/gm, "@@");
}
