/** Makes and signs the commit of an approved submission according to `merge`; its tree is the one that is checked. */
import { parentsOnTop } from "../../git/landing.ts";
import { commitTree, ifSigning, NotSigned } from "../../git/identity.ts";
import type { Signer } from "../../git/identity.ts";
import { byHand, resume } from "../../core/journal/steps.ts";
import type { Block } from "../../core/journal/steps.ts";
import {
  landingMessage,
  landingSubject,
  landingTrailers,
  listedLines,
} from "../../core/report/landing-message.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { inEnglish, t } from "../../core/language/translate.ts";

/** The commit for the base. `tree` is the whole merged tree with the issue closed. */
export async function compose(
  relay: Relay,
  record: SubmissionRecord,
  { tree, base }: { tree: string; base: string },
  signer?: Signer,
): Promise<string> {
  const { git } = relay.repository;
  const opening = openingOf(relay);
  const message = inEnglish(() => {
    const trailers = landingTrailers(opening, record, relay.journal.head());
    return landingMessage(landingSubject(opening), trailers, listedLines(record));
  });
  const commitOn = (...parents: string[]): Promise<string> =>
    commitTree(git, { tree, parents, message }, signer);
  const left = opening.pullRequest?.commit;
  const { merge: strategy } = settingsOf(relay);
  const { head } = record;
  if (left !== undefined) return commitOn(...(await parentsOnTop(git, { left, base, head, strategy })));
  return strategy === "merge" ? commitOn(base, head) : commitOn(base);
}

/**
 * The commit that lands: the draft, or its like with a signature where the person signs; a block if that takes the person.
 * Only a person who has resumed the relay because of that is asked for a passphrase.
 */
export async function signed(
  relay: Relay,
  record: SubmissionRecord,
  of: { tree: string; base: string; draft: string },
): Promise<string | Block> {
  const { control, env, places, repository } = relay;
  const mayAsk = control.mayAsk === true && openingOf(relay).resumedFrom === "unsigned";
  const person = { cwd: repository.root, env, scratch: places.scratch, mayAsk };
  const signer = await ifSigning(settingsOf(relay).signing, person);
  if (!signer) return of.draft;
  if (mayAsk)
    relay.onProgress({ type: "warning", text: t`git may ask for the passphrase of your signing key now` });
  try {
    return await compose(relay, record, of, signer);
  } catch (error) {
    if (!(error instanceof NotSigned) || control.interrupt.aborted) throw error;
    const { submission } = record;
    const asks = { ...resume, note: t`at a terminal: there git asks for the passphrase` };
    const hint = [[asks], byHand(t`to merge unsigned: commit signing: off in monoco.yaml`)];
    return { reason: { rule: "unsigned", submission, said: error.message }, hint };
  }
}
