/**
 * Joins the notes of this repository with those of a remote. Where both have a note of one commit, the published one stays, and
 * the other one is in the history of the notes.
 */
import { gitOr } from "../git.ts";
import type { Git } from "../git.ts";
import { asPerson, notesRef } from "../notes/notes.ts";
import { isAncestor, commitOf, moveRef } from "../repository.ts";

/** The remote's notes as last fetched. */
export const notesThere = "refs/monoco-there/notes";

/** The local notes with `there` joined in; undefined if they were changed meanwhile. */
export async function joinNotes(git: Git, there: string): Promise<string | undefined> {
  const here = await commitOf(git, notesRef);
  if (here === there || (here !== undefined && (await isAncestor(git, there, here)))) return here;
  const apart = here !== undefined && !(await isAncestor(git, here, there));
  const joined = apart ? await merged(git, here, there) : there;
  return (await moveRef(git, notesRef, joined, here ?? "")) ? joined : undefined;
}

/** Merges under a name of this process: a note that is written meanwhile must not be lost. */
async function merged(git: Git, here: string, there: string): Promise<string> {
  const ref = `${notesRef}-join-${process.pid}`;
  const env = await asPerson(git);
  try {
    await git(["update-ref", ref, here]);
    await git(["notes", `--ref=${ref}`, "merge", "--quiet", "--strategy=theirs", there], { env });
    return (await git(["rev-parse", "--verify", ref])).trim();
  } finally {
    await gitOr(git(["update-ref", "-d", ref]), "");
  }
}
