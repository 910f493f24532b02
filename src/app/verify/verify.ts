/** Verifies one commit: its record against git, and its commands by running them again. */
import { join } from "node:path";
import { compare, ownCommands } from "../../core/attest/compare.ts";
import type { CommitFacts } from "../../core/attest/compare.ts";
import { runLines, wantedOf } from "../../core/attest/runs.ts";
import type { Predicate } from "../../core/attest/statement-schema.ts";
import { isForged } from "../../core/attest/verified.ts";
import type { Signature, Verified } from "../../core/attest/verified.ts";
import { commitOf, fileAt } from "../../git/repository.ts";
import type { Here } from "../here.ts";
import { gatherFacts } from "./facts.ts";
import { signatureOf } from "./record.ts";
import type { Records } from "./record.ts";
import { needSandbox, runAgain } from "./run.ts";
import type { Ran } from "./run.ts";

export type VerifyOptions = {
  runs: boolean;
  /** Runs only what an allowed signer signed, or what the base itself names. */
  trustedOnly: boolean;
  /** A file of allowed signers; empty if there is none. */
  signers: string;
  scratch: string;
  tell(line: string): void;
};

export async function verifyCommit(
  here: Here,
  landed: CommitFacts,
  records: Records,
  { runs, trustedOnly, signers, scratch, tell }: VerifyOptions,
): Promise<Verified> {
  const { commit } = landed;
  const record = await records.of(landed);
  if (!record) return { commit, is: "no_record" };
  if (record === "broken") return { commit, is: "unreadable" };
  const { read, patch } = record;
  const { statement } = read;
  const { predicate } = statement;
  const signed = await signatureOf(here, read, { signers, scratch });
  const facts = await gatherFacts(here, { landed, patch, predicate });
  const isMissing = signed.is === "unsigned" && facts.project?.attest === "sign";
  const signature: Signature = isMissing ? { is: "missing" } : signed;
  const comparisons = compare(statement, facts);
  const isWrong = isForged(signature) || comparisons.some(({ is }) => is === "differs");
  const own = ownCommands(predicate, facts);
  const isTrusted = !trustedOnly || signature.is === "good";
  const may = (command: string): boolean => isTrusted || (own.isSetUp && own.commands.has(command));
  const wanted = wantedOf(predicate, may);
  const unrun = !runs
    ? ("asked" as const)
    : isWrong
      ? ("differs" as const)
      : wanted.length < wantedOf(predicate, () => true).length
        ? ("untrusted" as const)
        : undefined;
  let ran: Ran = { seen: new Map(), failed: [] };
  if (runs && !isWrong && wanted.length > 0) {
    needSandbox();
    const base = await baseOf(here, landed, facts.submission?.base ?? predicate.submission.base);
    const commits = { merge: commit, base };
    const folder = join(scratch, commit.slice(0, 12));
    ran = await runAgain(here, { commits, predicate, wanted, may, scratch: folder, tell });
  }
  const lines = runLines(predicate, ran.seen, await linesIn(here, commit, predicate));
  const differs = isWrong || ran.failed.length > 0 || lines.some(({ is }) => is === "differs");
  const is = differs ? "differs" : "holds";
  return { commit, is, predicate, signature, comparisons, lines, failed: ran.failed, unrun };
}

/** The commit where the work begins; the merge's first parent if that is not here. */
async function baseOf(
  here: Here,
  { commit, parents: [first] }: CommitFacts,
  claimed: string,
): Promise<string> {
  return (await commitOf(here.repository.git, claimed)) ?? first ?? commit;
}

/** Whether the commit has a file with that many lines. */
async function linesIn(
  { repository: { git } }: Here,
  commit: string,
  { criteria }: Predicate,
): Promise<(file: string, line: number | undefined) => boolean> {
  const files = new Set(criteria.flatMap(({ command, file }) => (command === undefined ? (file ?? []) : [])));
  const counts = new Map<string, number>();
  for (const file of files) {
    const text = await fileAt(git, commit, file);
    if (text !== undefined) counts.set(file, text.replace(/\n$/, "").split("\n").length);
  }
  return (file, line = 0) => (counts.get(file) ?? -1) >= line;
}
