/** Takes the letters of a relay from the remote into its inbox. The caller holds the relay, here and there. */
import { lettersAtOnceMax } from "../../core/carry/limits.ts";
import { t } from "../../core/language/translate.ts";
import { messageBytesMax } from "../../core/limits.ts";
import { readLetter } from "../../core/session/letter.ts";
import type { Letter } from "../../core/session/letter.ts";
import { isBranchName } from "../../core/settings/finish-schema.ts";
import { plainLine } from "../../core/text/sanitize.ts";
import { fetchRemote } from "../../git/carry/remote.ts";
import type { Move } from "../../git/carry/remote.ts";
import type { Git } from "../../git/git.ts";
import { refs } from "../../git/refs.ts";
import { dropMessage } from "../../store/mailbox.ts";
import type { Carrier } from "../carry/own.ts";
import { placesFor } from "../here.ts";
import { lettersOf } from "./send.ts";

export type LettersOf = {
  /** All refs of the remote. */
  listed: ReadonlyMap<string, string>;
  /** The ids of the messages in the relay's journal. */
  heard: ReadonlySet<string>;
};

/** `moves` delete, at the next push, what the journal has and what is no letter; `refused` says what was none. */
export type LettersTaken = { moves: Move[]; refused: string[] };

/**
 * Drops each letter into the relay's inbox under its own id. Its ref stays until the journal has the message: a crash, or
 * another machine that goes on with the pushed journal, loses none. Throws `later` if the remote cannot be reached.
 */
export async function takeLetters(
  carrier: Carrier,
  issue: string,
  { listed, heard }: LettersOf,
): Promise<LettersTaken> {
  const folder = lettersOf(carrier.prefix, issue);
  const there = [...listed]
    .flatMap(([ref, from]) => (isBelow(folder, ref) ? [{ ref, from, id: ref.slice(folder.length + 1) }] : []))
    .slice(0, lettersAtOnceMax);
  const taken: LettersTaken = { moves: [], refused: [] };
  if (there.some(({ id }) => !heard.has(id)))
    await fetchRemote(carrier.remote, [`+${folder}/*:${refs.there(issue)}/letters/*`]);
  const { inbox } = placesFor(carrier.here, issue);
  for (const { ref, from, id } of there) {
    const letter = heard.has(id)
      ? undefined
      : await readAt(carrier.here.repository.git, { object: from, id });
    if (letter === "moved") continue;
    if (letter && !("why" in letter)) dropMessage(inbox, letter);
    else taken.moves.push({ ref, from, to: "" });
    if (letter && "why" in letter) taken.refused.push(t`${plainLine(ref)} is no letter: ${letter.why}`);
  }
  return taken;
}

/** Git would refuse to delete a ref of another name, and with it the whole push. */
function isBelow(folder: string, ref: string): boolean {
  return (ref === folder || ref.startsWith(`${folder}/`)) && isBranchName(ref);
}

/** The letter that this object holds; `moved` if it is not here, since the ref moved after it was listed. */
async function readAt(
  git: Git,
  { object, id }: { object: string; id: string },
): Promise<Letter | { why: string } | "moved"> {
  const info = await git(["cat-file", "--batch-check=%(objecttype) %(objectsize)"], { input: `${object}\n` });
  const [type = "", size = ""] = info.trim().split(" ");
  if (size === "missing") return "moved";
  if (type !== "commit") return { why: t`it is a ${type}` };
  if (Number(size) > messageBytesMax + headerBytesMax)
    return { why: t`larger than ${messageBytesMax} bytes` };
  const text = await git(["cat-file", "commit", object]);
  return readLetter(text.slice(text.indexOf("\n\n") + 2).trimEnd(), id);
}

/** What a commit has around its message, as a signature. */
const headerBytesMax = 16 * 1024;
