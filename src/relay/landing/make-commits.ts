/** Makes the commit of an approved submission according to `merge`; its tree is the one that is checked. */
import { isAncestor } from "../../git/repository.ts";
import { commitTree } from "../../git/landing.ts";
import {
  landingMessage,
  landingSubject,
  landingTrailers,
  listedLines,
} from "../../core/report/landing-message.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { inEnglish } from "../../core/language/translate.ts";

/** The commit for the base. `tree` is the whole merged tree with the issue closed. */
export async function compose(
  relay: Relay,
  record: SubmissionRecord,
  { tree, base }: { tree: string; base: string },
): Promise<string> {
  const { git } = relay.repository;
  const opening = openingOf(relay);
  const message = inEnglish(() => {
    const trailers = landingTrailers(opening, record, relay.journal.head());
    return landingMessage(landingSubject(opening), trailers, listedLines(record));
  });
  const commitOn = (...parents: string[]): Promise<string> => commitTree(git, { tree, parents, message });
  const left = opening.pullRequest?.commit;
  if (left !== undefined) return onTopOf(relay, { left, base, head: record.head }, commitOn);
  return settingsOf(relay).merge === "merge" ? commitOn(base, record.head) : commitOn(base);
}

/** Adds a commit to the pull request: readers see what is new, and comments keep their lines. */
async function onTopOf(
  relay: Relay,
  { left, base, head }: { left: string; base: string; head: string },
  commitOn: (...parents: string[]) => Promise<string>,
): Promise<string> {
  const { git } = relay.repository;
  const { merge: strategy } = settingsOf(relay);
  // A person's submission may descend from the pull request's commit.
  const first = (await isAncestor(git, left, head)) ? head : left;
  const others = [base, ...(strategy === "merge" && first !== head ? [head] : [])];
  const missing: string[] = [];
  for (const other of others) if (!(await isAncestor(git, other, first))) missing.push(other);
  return commitOn(first, ...missing);
}
