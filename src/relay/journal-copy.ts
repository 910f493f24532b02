/** A copy of the journal under a ref: who rewrites the one has to rewrite the other, and what was lost can be fetched. */
import type { Git } from "../git/git.ts";
import { writeBlob } from "../git/objects/loose-blob.ts";
import { blobAt, moveRef } from "../git/repository.ts";
import { refs } from "../git/refs.ts";
import { existsSync, readFileSync } from "node:fs";
import { MonocoError, wordsOf } from "../core/error/error.ts";
import type { Relay } from "./relay.ts";
import { t } from "../core/language/translate.ts";

/**
 * Keeps the journal as it stands under `refs/monoco/ID/journal`; quick enough for once a session. Never throws: where
 * git refuses, that is told, and the copy before stays, which is a copy still.
 */
export async function keepJournalCopy(relay: Relay): Promise<void> {
  const { git } = relay.repository;
  try {
    // Nothing can be restored from a journal that was edited in place.
    const content = relay.journal.verify();
    const blob =
      (await writeBlob(git, content)) ??
      (await git(["hash-object", "-w", "--no-filters", "--", relay.places.journal])).trim();
    await moveRef(git, refs.journal(relay.issue), blob);
  } catch (error) {
    relay.onProgress({ type: "step", text: t`the journal's copy was not renewed: ${wordsOf(error)}` });
  }
}

type Compared = { repository: { git: Git }; issue: string; places: { journal: string } };

/**
 * Throws `input` where the journal no longer begins with its copy: lines were changed or cut. A journal that is gone
 * altogether is opened anew, with the copy set aside.
 */
export async function compareWithCopy({ repository, issue, places }: Compared): Promise<void> {
  const { git } = repository;
  const ref = refs.journal(issue);
  const copy = await blobAt(git, ref);
  if (copy === undefined) return;
  const path = places.journal;
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  // The copy may have been made in the middle of an append: its whole lines count.
  if (text === "" || text.startsWith(copy.slice(0, copy.lastIndexOf("\n") + 1))) return;
  throw new MonocoError("input", t`${path}: lines that are in its copy under ${ref} were changed or cut`, {
    hint: t`put the copy in its place: git cat-file blob ${ref} > ${path}; or, if you changed it on purpose: git update-ref -d ${ref}`,
  });
}
