/** Finds the record of a commit: its own note, or that of a commit with the same change, and who signed it. */
import { hash } from "node:crypto";
import { readNote } from "../../core/attest/dsse.ts";
import type { Read } from "../../core/attest/dsse.ts";
import type { CommitFacts } from "../../core/attest/compare.ts";
import type { Signature } from "../../core/attest/verified.ts";
import type { Git } from "../../git/git.ts";
import { blobAt } from "../../git/repository.ts";
import { allNotes, patchTexts } from "../../git/notes/notes.ts";
import { verifyText } from "../../git/notes/signature.ts";
import { io } from "../../io/io.ts";
import type { Here } from "../here.ts";

/** A note that cannot be read is `broken`. `patch` is the hash of the commit's diff, as records have it. */
export type Found = { read: Read; patch: string } | "broken" | undefined;

export type Records = { of(commit: CommitFacts): Promise<Found> };

/** The records of `commits`. */
export function recordsIn(git: Git, commits: readonly CommitFacts[]): Records {
  let listed: Promise<Map<string, string>> | undefined;
  let others: Promise<Read[]> | undefined;
  const patchOf = patchesOf(git, commits);
  return {
    of: async (commit) => {
      const notes = await (listed ??= allNotes(git));
      const blob = notes.get(commit.commit);
      const own = blob === undefined ? undefined : await readBlob(git, blob);
      if (blob !== undefined && !own) return "broken";
      others ??= own ? others : readAll(git, notes);
      const made = own ? [own] : ((await others) ?? []);
      if (made.length === 0) return undefined;
      const patch = await patchOf(commit);
      const read = own ?? madeElsewhere(made, commit, patch);
      return read && { read, patch };
    },
  };
}

/** Who signed a record. `signers` is a file of allowed signers, empty if there is none; `scratch` an own folder. */
export async function signatureOf(
  { repository: { worktree } }: Here,
  { signed, statement }: Read,
  options: { signers: string; scratch: string },
): Promise<Signature> {
  if (!signed) return { is: "unsigned" };
  const madeAt = new Date(statement.predicate.merge.at);
  return verifyText({ cwd: worktree, env: io().env }, { ...signed, ...options, madeAt });
}

async function readBlob(git: Git, blob: string): Promise<Read | undefined> {
  return readNote((await blobAt(git, blob)) ?? "");
}

async function readAll(git: Git, notes: ReadonlyMap<string, string>): Promise<Read[]> {
  const all = await Promise.all([...notes.values()].map(async (blob) => readBlob(git, blob)));
  return all.filter((read) => read !== undefined);
}

/** The record of the same change, or the one that the commit's trailers name: an amended commit keeps them. */
function madeElsewhere(all: readonly Read[], { message }: CommitFacts, patch: string): Read | undefined {
  const isNamed = ({ statement: { predicate } }: Read): boolean =>
    message.includes(`\nMonoco-Submission: ${predicate.landing.submission} ${predicate.landing.head}\n`);
  return all.find(({ statement }) => statement.predicate.patch === patch) ?? all.find(isNamed);
}

/** So many diffs are read at once. */
const patchesAtOnce = 50;

/** The hash of a commit's diff to its first parent; empty for a first commit. */
function patchesOf(git: Git, commits: readonly CommitFacts[]): (commit: CommitFacts) => Promise<string> {
  const read = new Map<number, Promise<Map<string, string>>>();
  return async (commit) => {
    const start = Math.floor(commits.indexOf(commit) / patchesAtOnce) * patchesAtOnce;
    const pairs = commits
      .slice(start, start + patchesAtOnce)
      .flatMap(({ commit, parents: [before] }) => (before === undefined ? [] : [{ commit, before }]));
    const texts = read.get(start) ?? patchTexts(git, pairs);
    read.set(start, texts);
    const text = (await texts).get(commit.commit);
    return text === undefined ? "" : hash("sha256", text);
  };
}
