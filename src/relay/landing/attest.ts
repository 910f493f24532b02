/** Writes the record of a merge as a git note beside its commit: once, also if a crash came in between. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../core/error/attempt.ts";
import { wordsOf } from "../../core/error/error.ts";
import { payloadOf, plainNote, readNote, signedNote, signedText } from "../../core/attest/dsse.ts";
import { statementOf } from "../../core/attest/statement.ts";
import type { StatementInput } from "../../core/attest/statement.ts";
import type { Statement } from "../../core/attest/statement-schema.ts";
import { criteriaOf } from "../../core/issue/contract.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { replay } from "../../core/journal/state.ts";
import { t } from "../../core/language/translate.ts";
import { ifSigning } from "../../git/identity.ts";
import { noteOf, patchText, writeNote } from "../../git/notes/notes.ts";
import { signText, signsBySsh } from "../../git/notes/signature.ts";
import { blobAt, commitOf, mergeBase, treeOf } from "../../git/repository.ts";
import { contractNow } from "../contract.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { additionsOf } from "../review/check-submission.ts";
import { waitForLock } from "../wait-for-lock.ts";

/** The commit that a pull request brought to the base. */
type Landed = Pick<NonNullable<StatementInput["landed"]>, "commit" | "pullRequest">;

/**
 * Records the merge that was prepared as `commit`; with `landed`, a pull request brought another commit to the base. A record
 * that cannot be written is a warning: the merge is done.
 */
export async function attest(relay: Relay, commit: string, landed?: Landed): Promise<void> {
  if (settingsOf(relay).attest === "off") return;
  const warn = (text: string): void => relay.onProgress({ type: "warning", text });
  // Git would lose the note of another relay that finishes at the same moment.
  const lock = await waitForLock(relay, "notes", t`interrupted while waiting to record the merge`);
  try {
    const input = await gather(relay, commit, landed);
    if (!input) return;
    const statement = statementOf(input);
    const on = landed?.commit ?? commit;
    const before = readNote((await noteOf(relay.repository.git, on)) ?? "");
    if (before && payloadOf(before.statement) === payloadOf(statement)) return;
    await writeNote(relay.repository.git, on, await noteText(relay, statement, warn));
  } catch (error) {
    warn(t`the record of ${commit.slice(0, 12)} is not written: ${wordsOf(error)}`);
  } finally {
    lock.release();
  }
}

async function noteText(relay: Relay, statement: Statement, warn: (text: string) => void): Promise<string> {
  const { env, places, repository } = relay;
  const { attest: how, signing } = settingsOf(relay);
  const person = { cwd: repository.root, env, scratch: places.scratch, mayAsk: false };
  const signs = how === "sign" || ((await ifSigning(signing, person)) && (await signsBySsh(person)));
  if (!signs) return plainNote(statement);
  const payload = payloadOf(statement);
  const signature = await signText(person, signedText(payload));
  if (typeof signature !== "string") return signedNote(payload, signature);
  warn(t`the record of the merge is not signed: ${signature}`);
  return plainNote(statement);
}

/** The facts as of the preparation of the merge, whatever was recorded since; undefined if the journal has no such merge. */
async function gather(
  relay: Relay,
  commit: string,
  landed: Landed | undefined,
): Promise<StatementInput | undefined> {
  const { git } = relay.repository;
  const events = relay.journal.events();
  const at = events.findLastIndex((event) => event.type === "merge.prepared" && event.commit === commit);
  const prepared = events[at];
  const { opening } = replay(events.slice(0, at + 1));
  if (prepared?.type !== "merge.prepared" || !opening) return undefined;
  const submission = opening.submissions.find((one) => one.submission === prepared.submission)!;
  const { expectedBase } = prepared;
  const trailer = ["log", "-1", "--format=%(trailers:key=Monoco-Journal,valueonly)", commit];
  return {
    opening,
    submission,
    prepared,
    journal: {
      trailer: (await git(trailer)).trim(),
      prepared: events[at + 1]?.prev ?? relay.journal.head(),
    },
    criteria: criteriaOf(contractNow(relay).issue),
    start: (await mergeBase(git, expectedBase, submission.head)) ?? openingOf(relay).baseCommit,
    patch: hash("sha256", await patchText(git, expectedBase, commit)),
    added: await addedFiles(relay, submission),
    version: versionOf(relay),
    reviewFolder: relay.places.review,
    ...(landed && {
      landed: {
        commit: landed.commit,
        pullRequest: landed.pullRequest,
        tree: await treeHere(relay, landed.commit),
      },
    }),
  };
}

async function treeHere({ repository: { git } }: Relay, commit: string): Promise<string | undefined> {
  return (await commitOf(git, commit)) && treeOf(git, commit);
}

/** The files that the Reviewer's evidence may need. */
async function addedFiles(
  relay: Relay,
  { head, reviews }: SubmissionRecord,
): Promise<StatementInput["added"]> {
  const session = reviews.findLast(({ by }) => by === "reviewer")?.session;
  const added = session === undefined ? [] : await additionsOf(relay, { head, session });
  const files = added.map(async ({ path, to }): Promise<StatementInput["added"]> => {
    if (!to || !("hash" in to) || (to.mode !== "100644" && to.mode !== "100755")) return [];
    const text = await blobAt(relay.repository.git, to.hash);
    return text === undefined ? [] : [{ path, mode: to.mode, text }];
  });
  return (await Promise.all(files)).flat();
}

function versionOf({ monoco: [, cli = ""] }: Relay): string {
  const file = join(dirname(dirname(cli)), "package.json");
  const read = (): string => (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
  return attempt(read, "unknown");
}
