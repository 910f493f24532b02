/** A copy of the journal under a ref: who rewrites the one has to rewrite the other, and what was lost can be fetched. */
import { hash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MonocoError, wordsOf } from "../core/error/error.ts";
import { partsOf, printCopy } from "../core/journal/copy-parts.ts";
import { t } from "../core/language/translate.ts";
import { shellWord } from "../core/text/shell.ts";
import { gitOr } from "../git/git.ts";
import type { Git } from "../git/git.ts";
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
  const { repository } = relay;
  const { git } = repository;
  const ref = refs.journal(relay.issue);
  try {
    // Nothing can be restored from a journal that was edited in place.
    const content = relay.journal.verify();
    const kept = await partsAt(git, ref);
    // A power loss may have taken what they name.
    const told = await Promise.all(kept.map(async (part) => git.ask?.("info", part)));
    const parts: [name: string, hash: string][] = [];
    for (const [at, { name, content: part }] of partsOf(content).entries()) {
      const old = told[at] === "nothing" ? "" : (kept[at] ?? "");
      parts.push([name, isBlob(old, part) ? old : await write(repository, asBlob, part)]);
    }
    const tree = parts.map(([name, blob]) => `100644 blob ${blob}\t${name}\n`).join("");
    await moveRef(git, ref, await write(repository, ["mktree"], tree));
  } catch (error) {
    relay.onProgress({ type: "step", text: t`the journal's copy was not renewed: ${wordsOf(error)}` });
  }
}

const asBlob = ["hash-object", "-w", "--no-filters", "--stdin"];

/** The object that a git command writes. Where a power loss emptied its file, git takes the file for the object: it is removed, and written again. */
async function write(
  { git, commonDir }: Kept["repository"],
  command: readonly string[],
  input: string | Buffer,
): Promise<string> {
  const name = (await git(command, { input })).trim();
  if ((await git.ask?.("info", name)) !== "nothing") return name;
  rmSync(join(commonDir, "objects", name.slice(0, 2), name.slice(2)), { force: true });
  return (await git(command, { input })).trim();
}

/** Whether `name` is the blob with this content: the hash that git names it by. */
function isBlob(name: string, content: Buffer): boolean {
  const whole = Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]);
  return hash(name.length === 40 ? "sha1" : "sha256", whole) === name;
}

type Compared = { repository: { git: Git }; issue: string; places: { journal: string } };

/**
 * Throws `input` where the journal no longer begins with its copy: lines were changed or cut. A journal that is gone
 * altogether is opened anew, with the copy set aside.
 */
export async function compareWithCopy({ repository, issue, places }: Compared): Promise<void> {
  const [ref, path] = [refs.journal(issue), places.journal];
  const journal = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  if (journal.length === 0 || (await beginsWithCopy(repository.git, ref, journal))) return;
  throw new MonocoError("input", t`${path}: lines that are in its copy under ${ref} were changed or cut`, {
    hint: t`put the copy in its place: ${printCopy(ref)} > ${shellWord(`${path}.copy`)} && mv ${shellWord(`${path}.copy`)} ${shellWord(path)}; or, if you changed it on purpose: git update-ref -d ${ref}`,
  });
}

/** Of all parts but the last the hashes tell. A copy of a single blob is from before copies had parts. */
async function beginsWithCopy(git: Git, ref: string, journal: Buffer): Promise<boolean> {
  const hashes = await partsAt(git, ref);
  const last = await blobAt(git, hashes.pop() ?? ref);
  const parts = partsOf(journal).map(({ content }) => content);
  if (hashes.some((hash, at) => !isBlob(hash, parts[at] ?? Buffer.alloc(0)))) return false;
  // It may have been made in the middle of an append: its whole lines count. One that a power loss has taken says nothing.
  const lines = last?.slice(0, last.lastIndexOf("\n") + 1) ?? "";
  return Buffer.concat(parts.slice(hashes.length)).toString().startsWith(lines);
}

/** The hashes of its parts; none without a copy. */
async function partsAt(git: Git, ref: string): Promise<string[]> {
  return (await gitOr(git(["ls-tree", "--full-tree", "--object-only", ref]), "")).split("\n").filter(Boolean);
}
