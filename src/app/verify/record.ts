/** Finds the record of a commit: its own note, or that of a commit with the same change, and who signed it. */
import { hash } from "node:crypto";
import { readNote } from "../../core/attest/dsse.ts";
import type { Read } from "../../core/attest/dsse.ts";
import type { CommitFacts } from "../../core/attest/compare.ts";
import type { Statement } from "../../core/attest/statement-schema.ts";
import type { Signature } from "../../core/attest/verified.ts";
import type { Git } from "../../git/git.ts";
import { allNotes, noteOf, patchText } from "../../git/notes/notes.ts";
import { verifyText } from "../../git/notes/signature.ts";
import { io } from "../../io/io.ts";
import type { Here } from "../here.ts";

/** A note that cannot be read is `broken`. */
export type Found = { statement: Statement; signature: Signature } | "broken" | undefined;

export type Records = { of(commit: CommitFacts, patch: string): Promise<Found> };

/** `signers` is a file of allowed signers; `scratch` an own folder. */
export function recordsIn(here: Here, options: { signers?: string | undefined; scratch: string }): Records {
  const { git, worktree } = here.repository;
  const signatureOf = async ({ signed }: Read): Promise<Signature> =>
    signed ? verifyText({ cwd: worktree, env: io().env }, { ...signed, ...options }) : { is: "unsigned" };
  let others: Promise<Read[]> | undefined;
  return {
    of: async (commit, patch) => {
      const note = await noteOf(git, commit.commit);
      const own = note === undefined ? undefined : readNote(note);
      if (note !== undefined && !own) return "broken";
      others ??= own ? others : readAll(git);
      const read = own ?? madeElsewhere((await others) ?? [], commit, patch);
      return read && { statement: read.statement, signature: await signatureOf(read) };
    },
  };
}

async function readAll(git: Git): Promise<Read[]> {
  return (await allNotes(git)).flatMap(({ note }) => readNote(note) ?? []);
}

/** The record of the same change, or the one that the commit's trailers name: an amended commit keeps them. */
function madeElsewhere(all: readonly Read[], { message }: CommitFacts, patch: string): Read | undefined {
  const isNamed = ({ statement: { predicate } }: Read): boolean =>
    message.includes(`\nMonoco-Submission: ${predicate.landing.submission} ${predicate.landing.head}\n`);
  return all.find(({ statement }) => statement.predicate.patch === patch) ?? all.find(isNamed);
}

/** The hash of a commit's diff to its first parent, as records have it; empty for a first commit. */
export async function patchOf(git: Git, { commit, parents: [first] }: CommitFacts): Promise<string> {
  return first === undefined ? "" : hash("sha256", await patchText(git, first, commit));
}
