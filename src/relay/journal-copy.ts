/** Keeps a copy of the journal under a ref, to detect a rewritten journal and to restore a lost one. */
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
 * Copies the journal to `refs/monoco/ID/journal`; fast enough to run once a session. Never throws: if git refuses, it reports a
 * step, and the earlier copy stays.
 */
export async function keepJournalCopy(relay: Kept): Promise<void> {
  const { repository } = relay;
  const { git } = repository;
  const ref = refs.journal(relay.issue);
  try {
    // Throws if the journal was edited in place: such a journal must not replace its copy.
    const content = relay.journal.verify();
    const kept = await partsAt(git, ref);
    // A power loss may have deleted the parts' objects.
    const infos = await Promise.all(kept.map(async (part) => git.ask?.("info", part)));
    const parts: [name: string, hash: string][] = [];
    for (const [at, { name, content: part }] of partsOf(content).entries()) {
      const old = infos[at] === "nothing" ? "" : (kept[at] ?? "");
      parts.push([name, isBlob(old, part) ? old : await write(repository, asBlob, part)]);
    }
    const tree = parts.map(([name, blob]) => `100644 blob ${blob}\t${name}\n`).join("");
    await moveRef(git, ref, await write(repository, ["mktree"], tree));
  } catch (error) {
    relay.onProgress({ type: "step", text: t`the journal's copy was not renewed: ${wordsOf(error)}` });
  }
}

const asBlob = ["hash-object", "-w", "--no-filters", "--stdin"];

/**
 * Writes an object by a git command. Git believes that an object file exists which a power loss has emptied: such a file is
 * removed and written again.
 */
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

/** Whether `name` is git's id of a blob with this content. */
function isBlob(name: string, content: Buffer): boolean {
  const whole = Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]);
  return hash(name.length === 40 ? "sha1" : "sha256", whole) === name;
}

type Compared = { repository: { git: Git }; issue: string; places: { journal: string } };

/**
 * Throws `input` if the journal no longer begins with its copy: lines were changed or cut. A missing journal passes: a new
 * opening sets the copy aside.
 */
export async function compareWithCopy({ repository, issue, places }: Compared): Promise<void> {
  const [ref, path] = [refs.journal(issue), places.journal];
  const journal = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  if (journal.length === 0 || (await beginsWithCopy(repository.git, ref, journal))) return;
  throw new MonocoError("input", t`${path}: lines that are in its copy under ${ref} were changed or cut`, {
    hint: t`put the copy in its place: ${printCopy(ref)} > ${shellWord(`${path}.copy`)} && mv ${shellWord(`${path}.copy`)} ${shellWord(path)}; or, if you changed it on purpose: git update-ref -d ${ref}`,
  });
}

/** Compares all parts but the last by hash. Early versions copied the journal to a single blob. */
async function beginsWithCopy(git: Git, ref: string, journal: Buffer): Promise<boolean> {
  const hashes = await partsAt(git, ref);
  const last = await blobAt(git, hashes.pop() ?? ref);
  const parts = partsOf(journal).map(({ content }) => content);
  if (hashes.some((hash, at) => !isBlob(hash, parts[at] ?? Buffer.alloc(0)))) return false;
  // The last part may have been copied during an append, so only its whole lines are compared. A part that a power loss deleted
  // is skipped.
  const lines = last?.slice(0, last.lastIndexOf("\n") + 1) ?? "";
  return Buffer.concat(parts.slice(hashes.length)).toString().startsWith(lines);
}

/** The hashes of the copy's parts; empty if there is no copy. */
async function partsAt(git: Git, ref: string): Promise<string[]> {
  return (await gitOr(git(["ls-tree", "--full-tree", "--object-only", ref]), "")).split("\n").filter(Boolean);
}
