/** Asks for a confirmation by a Reviewer if the base's new commits since the approval touch the submission's work. */
import { refs } from "../../git/refs.ts";
import { grep, isAncestor, mergeBase, moveRef } from "../../git/repository.ts";
import { namesBetween } from "../../git/snapshot.ts";
import { importingFilesMax, meetingsMax } from "../../core/limits.ts";
import { importWords, toConfirm } from "../../core/review/after-merge.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";

/** Records merge.questioned if a confirmation is needed, and returns whether it is. `onto` is the base's current commit. */
export async function question(
  relay: Relay,
  record: SubmissionRecord,
  { commit, tree, onto }: { commit: string; tree: string; onto: string },
): Promise<boolean> {
  const { git, root } = relay.repository;
  const { base, baseCommit, contract } = openingOf(relay);
  const { afterMerge: mode } = settingsOf(relay).review;
  const { submission, head } = record;
  const isWork = (path: string): boolean => path !== contract.path && !/^issues\//i.test(path);
  // The merge would land exactly the files that were approved.
  if (mode === "never" || !(await namesBetween(root, record.tree, tree)).some(isWork)) return false;
  const start = (await mergeBase(git, onto, head)) ?? baseCommit;
  const confirmed = record.confirmations.at(-1)?.onto;
  const since = confirmed && (await isAncestor(git, confirmed, onto)) ? confirmed : start;
  const ours = (await namesBetween(root, start, head)).filter(isWork);
  const theirs = (await namesBetween(root, since, onto)).filter(isWork);
  const few = [ours, theirs].flatMap((side) => side.slice(0, importingFilesMax));
  const paths = [...new Set(few)].filter((path) => !/\.(?:md|rst|txt)$/i.test(path));
  const lines = theirs.length > 0 ? await grep(git, { commit, pattern: importWords, paths }) : [];
  const meets = toConfirm(mode, { ours, theirs, lines });
  if (!meets) return false;
  // The Reviewer's clone is made from this ref; after a crash the ref may name an earlier commit.
  await moveRef(git, refs.merging(relay.issue), commit);
  const reason = { rule: "base_met", submission, base, mode, meets: meets.slice(0, meetingsMax) } as const;
  relay.record({ type: "merge.questioned", submission, baseCommit: onto, since, commit, tree, reason });
  return true;
}
