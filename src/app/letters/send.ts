/** Sends a person's message to a relay that runs elsewhere: as a ref of the remote, which the relay's holder fetches. */
import { randomUUID } from "node:crypto";
import type { Found } from "../../core/carry/outcome.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { Via } from "../../core/journal/events/fields.ts";
import { t } from "../../core/language/translate.ts";
import { readLetter } from "../../core/session/letter.ts";
import { pushMoves, refuseUntaken } from "../../git/carry/remote.ts";
import { keepGit } from "../../git/git.ts";
import { systemClock } from "../../relay/clock.ts";
import { packed } from "../carry/own.ts";
import type { Carrier } from "../carry/own.ts";
import { secretsLeaving } from "../carry/scan.ts";

/** With an `id`, the same message is sent once, whoever sends it. */
export type LetterBody = { type: string; via: Via; id?: string } & Record<string, unknown>;

/**
 * Returns the message's id, and a secret that keeps it here. Throws `input` for a message that no relay would take, and if the
 * remote does not take it. `held` are the remote's objects, which need no scan for secrets.
 */
export async function sendLetter(
  { here, remote, prefix }: Carrier,
  issue: string,
  { id = randomUUID(), ...body }: LetterBody,
  held: readonly string[] = [],
): Promise<{ id: string; secret?: Found }> {
  const letter = readLetter(JSON.stringify({ id, atMs: systemClock.nowMs(), ...body }), id);
  if ("why" in letter)
    throw new MonocoError("input", t`the message is not one that a relay takes: ${letter.why}`);
  const { git, root } = here.repository;
  const close = keepGit(root);
  try {
    const tree = (await git(["mktree"], { input: "" })).trim();
    // A submitted commit comes with the letter.
    const parents = letter.type === "submit" ? [letter.commit] : [];
    const commit = await packed(git, tree, JSON.stringify(letter), parents);
    const scan = { tips: [commit], held, allowed: [], wordsOf: () => undefined };
    const [secret] = await secretsLeaving(git, scan);
    if (secret) return { id, secret };
    // Whoever moved the ref has sent the same message.
    const ref = `${lettersOf(prefix, issue)}/${id}`;
    refuseUntaken(remote, await pushMoves(remote, [{ ref, from: "", to: commit }]));
    return { id };
  } finally {
    close();
  }
}

/** The folder of a relay's letters on the remote. */
export const lettersOf = (prefix: string, issue: string): string => `${prefix}/${issue}/letters`;
