/** Makes the commits of an approved submission as `merge` says; whichever it is, their tree is the one that is checked. */
import { isAncestor } from "../../git/repository.ts";
import { namesBetween } from "../../git/snapshot.ts";
import { commitTree } from "../../git/landing.ts";
import { replayCommits } from "../../git/replay.ts";
import {
  landingMessage,
  landingSubject,
  landingTrailers,
  listedLines,
} from "../../core/report/landing-message.ts";
import type { MergeStrategy } from "../../core/settings/finish-schema.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { inEnglish, t } from "../../core/language/translate.ts";

/** The last of the commits, all on the base; `instead` says why they are not made as the settings want. */
export type Composed = { commit: string; strategy: MergeStrategy; instead?: string };

/** `tree`: the whole merged tree, with the issue closed in it. */
export async function compose(
  relay: Relay,
  record: SubmissionRecord,
  { tree, base }: { tree: string; base: string },
): Promise<Composed> {
  const { git, root } = relay.repository;
  const opening = openingOf(relay);
  const message = inEnglish(() => {
    const trailers = landingTrailers(opening, record, relay.journal.head());
    return landingMessage(landingSubject(opening), trailers, listedLines(record));
  });
  const commitOn = (...parents: string[]): Promise<string> => commitTree(git, { tree, parents, message });
  const strategy = settingsOf(relay).merge;
  const left = opening.pullRequest?.commit;
  if (left !== undefined) return onTopOf(relay, { left, base, head: record.head }, commitOn);
  if (strategy === "merge") return { commit: await commitOn(base, record.head), strategy };
  if (strategy === "squash") return { commit: await commitOn(base), strategy };
  const { path } = openingOf(relay).contract;
  const replayed = await replayCommits(git, {
    base,
    head: record.head,
    settled: path,
    scratch: relay.places.scratch,
  });
  const squashed = async (instead: string): Promise<Composed> => ({
    commit: await commitOn(base),
    strategy: "squash",
    instead,
  });
  if ("because" in replayed) return squashed(replayed.because);
  // What was checked is the whole merge: the commits one by one must come to the same.
  const differs = await namesBetween(root, replayed.tree, tree);
  const others = differs.filter((name) => name !== path);
  if (others.length > 0)
    return squashed(t`replayed one by one they differ from the merge in ${others.join(", ")}`);
  return { commit: await commitOn(replayed.tip), strategy };
}

/** One more commit on what the pull request has: who reads it there sees what is new, and no comment loses its line. */
async function onTopOf(
  relay: Relay,
  { left, base, head }: { left: string; base: string; head: string },
  commitOn: (...parents: string[]) => Promise<string>,
): Promise<Composed> {
  const { git } = relay.repository;
  const { merge: wanted } = settingsOf(relay);
  const strategy = wanted === "merge" ? "merge" : "squash";
  // A person who went on from it has it in what they submitted.
  const first = (await isAncestor(git, left, head)) ? head : left;
  const others = [base, ...(strategy === "merge" && first !== head ? [head] : [])];
  const missing: string[] = [];
  for (const other of others) if (!(await isAncestor(git, other, first))) missing.push(other);
  const commit = await commitOn(first, ...missing);
  return {
    commit,
    strategy,
    ...(wanted === strategy ? {} : { instead: t`its pull request is open, and only grows` }),
  };
}
