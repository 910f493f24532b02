/** A copy of the journal under a ref: who rewrites the one has to rewrite the other, and what was lost can be fetched. */
import { existsSync, readFileSync } from "node:fs";
import { MonocoError, wordsOf } from "../core/error/error.ts";
import { partsOf, printCopy } from "../core/journal/copy-parts.ts";
import { t } from "../core/language/translate.ts";
import { shellWord } from "../core/text/shell.ts";
import { gitOr } from "../git/git.ts";
import type { Git } from "../git/git.ts";
import { isBlob, writeBlob, writeTree } from "../git/objects/loose-object.ts";
import { treeAt } from "../git/objects/tree.ts";
import type { Entry } from "../git/objects/tree.ts";
import { blobAt, moveRef } from "../git/repository.ts";
import { refs } from "../git/refs.ts";
import type { Relay } from "./relay.ts";

type Kept = Pick<Relay, "repository" | "issue" | "onProgress"> & {
  journal: Pick<Relay["journal"], "verify">;
};

/**
 * Keeps the journal as it stands under `refs/monoco/ID/journal`; quick enough for once a session. Never throws: where
 * git refuses, that is told, and the copy before stays, which is a copy still.
 */
export async function keepJournalCopy(relay: Kept): Promise<void> {
  const { git } = relay.repository;
  const ref = refs.journal(relay.issue);
  try {
    // Nothing can be restored from a journal that was edited in place.
    const content = relay.journal.verify();
    const before = await treeAt(git.ask, ref);
    const kept = before instanceof Map ? before : new Map<string, Entry>();
    const parts = partsOf(content).map(async ({ name, content: part }) => {
      const old = kept.get(name)?.hash;
      return [name, old && isBlob(old, part) ? old : await writeBlob(git, part)] as const;
    });
    await moveRef(git, ref, await writeTree(git, await Promise.all(parts)));
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
  const ref = refs.journal(issue);
  const copy = await copyAt(repository.git, ref);
  if (copy === undefined) return;
  const path = places.journal;
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  // The copy may have been made in the middle of an append: its whole lines count.
  if (text === "" || text.startsWith(copy.slice(0, copy.lastIndexOf("\n") + 1))) return;
  throw new MonocoError("input", t`${path}: lines that are in its copy under ${ref} were changed or cut`, {
    hint: t`put the copy in its place: ${printCopy(ref)} > ${shellWord(path)}; or, if you changed it on purpose: git update-ref -d ${ref}`,
  });
}

/** Undefined where there is none, or a power loss has left it without a part. A copy of one blob is from before copies had parts. */
async function copyAt(git: Git, ref: string): Promise<string | undefined> {
  const hashes = await partsAt(git, ref);
  if (hashes.length === 0) return blobAt(git, ref);
  const parts = await Promise.all(hashes.map((part) => blobAt(git, part)));
  return parts.includes(undefined) ? undefined : parts.join("");
}

async function partsAt(git: Git, ref: string): Promise<string[]> {
  const tree = await treeAt(git.ask, ref);
  if (tree) return tree === "nothing" ? [] : [...tree.values()].map((entry) => entry.hash);
  const listed = await gitOr(git(["ls-tree", ref]), "");
  return [...listed.matchAll(/^\d+ blob ([0-9a-f]+)\t/gm)].map(([, part = ""]) => part);
}
