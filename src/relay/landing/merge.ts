/** Lands an approved submission on the current base: merged tree, checks, one prepared commit, compare-and-swap. */
import { isOnBase, lockRemedy, mergeTrees, moveBase, withFile } from "../../git/landing.ts";
import type { Held } from "../../git/landing.ts";
import { commitOf, isAncestor, moveRef } from "../../git/repository.ts";
import { namesBetween } from "../../git/snapshot.ts";
import { refs } from "../../git/refs.ts";
import { removeClone } from "../../git/clone/workspace.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { EventOf } from "../../core/journal/event.ts";
import { byHand, resume } from "../../core/journal/steps.ts";
import type { Block } from "../../core/journal/steps.ts";
import { shellWord } from "../../core/text/shell.ts";
import { mergeRoundsMax, mergeRoundsSharedMax } from "../../core/limits.ts";
import { failureWords, isRed } from "../../core/review/red.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { besideBaseline, keepAsBaseline } from "../baseline.ts";
import { attest } from "./attest.ts";
import { basesGiven } from "../bases.ts";
import { closedIssue } from "./closed-issue.ts";
import { question } from "./confirmation.ts";
import { compose, signed } from "./make-commits.ts";
import { contractNow } from "../contract.ts";
import { learn } from "./learn.ts";
import { leaveOnBranch } from "./leave-on-branch.ts";
import { openingOf, settingsOf, submissionOf } from "../relay.ts";
import { containmentBy } from "../sandbox.ts";
import type { Relay } from "../relay.ts";
import { checkClone } from "../review/check-submission.ts";
import { tidyUp } from "./tidy-up.ts";
import { movingBranch, waitForLock } from "../wait-for-lock.ts";
import { t } from "../../core/language/translate.ts";
import { runName } from "../run-name.ts";

export type Prepared = EventOf<"merge.prepared">;

/**
 * Merges, or records why not (conflict, red checks, a checkout in the way). Others may move the base meanwhile, also to
 * `cutOff`, a merge that was prepared before.
 */
export async function mergeSubmission(relay: Relay, submission: number, cutOff?: Prepared): Promise<void> {
  const record = submissionOf(relay, submission);
  // One merge at a time into a base: other relays may finish at the same moment.
  const lock = await waitForLock(
    relay,
    `base.${encodeURIComponent(openingOf(relay).base)}`,
    t`interrupted while waiting to merge`,
  );
  let left: Prepared | undefined;
  try {
    left = await prepareAndLand(relay, record, cutOff);
  } finally {
    lock.release();
  }
  // Leaves the lock first: a branch does not touch the base, and a push takes time.
  if (left) await leaveOnBranch(relay, left);
}

/** Returns the merge if its commits stay on their branch; undefined if it is done or recorded. */
async function prepareAndLand(
  relay: Relay,
  record: SubmissionRecord,
  cutOff: Prepared | undefined,
): Promise<Prepared | undefined> {
  const times = relay.shared ? mergeRoundsSharedMax : mergeRoundsMax;
  for (let round = 1; round <= times; round++) {
    await relay.shared?.follow();
    if (cutOff && (await isOnBase(relay.repository.git, openingOf(relay).base, cutOff.commit))) {
      await finish(relay, cutOff);
      return undefined;
    }
    const prepared = await prepare(relay, record);
    if (prepared === "settled") return undefined;
    if (settingsOf(relay).finish.by !== "merge") return prepared;
    if (await land(relay, prepared)) return undefined;
  }
  const { base } = openingOf(relay);
  block(relay, {
    reason: { rule: "base_moving", base, times, submission: record.submission },
    hint: [byHand(t`wait until ${base} moves less often`)],
  });
  return undefined;
}

async function prepare(relay: Relay, record: SubmissionRecord): Promise<Prepared | "settled"> {
  const { git } = relay.repository;
  const { base, contract } = openingOf(relay);
  const { submission, head } = record;
  const expectedBase = await commitOf(git, `refs/heads/${base}`);
  if (!expectedBase)
    throw new MonocoError("input", t`branch ${base} is gone`, {
      hint: t`git branch ${base} …, then run again`,
    });
  const closed =
    (await takenBack(relay, record, expectedBase)) ?? (await closedIssue(relay, record, expectedBase));
  if ("reason" in closed) {
    block(relay, closed);
    return "settled";
  }
  const merged = await mergeTrees(git, expectedBase, head);
  const conflicts = merged.conflicts.filter((path) => path !== contract.path);
  if (conflicts.length > 0) {
    relay.record({ type: "merge.conflicted", submission, baseCommit: expectedBase, paths: conflicts });
    return "settled";
  }
  const tree =
    closed.text === undefined
      ? merged.tree
      : await withFile(git, {
          tree: merged.tree,
          path: contract.path,
          text: closed.text,
          scratch: relay.places.scratch,
        });
  const draft = await compose(relay, record, { tree, base: expectedBase });
  const red = await checkMerged(relay, record, { tree, commit: draft, onto: expectedBase });
  const asks =
    red === undefined &&
    !relay.control.interrupt.aborted &&
    (await question(relay, record, { commit: draft, tree, onto: expectedBase }));
  if (asks) return "settled";
  removeClone(relay.places.review);
  if (red) {
    relay.record({ type: "merge.rejected", submission, baseCommit: expectedBase, why: red });
    return "settled";
  }
  if (relay.control.interrupt.aborted) return "settled";
  const commit = await signed(relay, record, { tree, base: expectedBase, draft });
  if (typeof commit !== "string") {
    block(relay, commit);
    return "settled";
  }
  const strategy = settingsOf(relay).merge;
  const prepared = { type: "merge.prepared", submission, commit, tree, expectedBase, strategy } as const;
  // The merge rests on the journal, and agents could write to it.
  relay.journal.verify();
  relay.record(prepared);
  return prepared;
}

/** A block if the person has removed the work from the base: a merge would bring it back. */
async function takenBack(
  relay: Relay,
  { head }: SubmissionRecord,
  baseCommit: string,
): Promise<Block | undefined> {
  const { git } = relay.repository;
  const { base, branch } = openingOf(relay);
  for (const commit of basesGiven(relay)) {
    const restsOn = await isAncestor(git, commit, head);
    if (!restsOn || (await isAncestor(git, commit, baseCommit))) continue;
    const short = commit.slice(0, 12);
    return {
      reason: { rule: "base_rewritten", base, commit: short },
      hint: [
        [
          { do: "by_hand", what: t`to leave it out: git rebase --onto ${base} ${short} ${branch}` },
          { do: "submit" },
          resume,
        ],
        byHand(t`to have it back: git merge ${short} on ${base}`),
      ],
    };
  }
  return undefined;
}

/** Moves the base. True if nothing is left to do: merged, or blocked for a person. */
async function land(relay: Relay, prepared: Prepared): Promise<boolean> {
  const { git } = relay.repository;
  const { base } = openingOf(relay);
  const { commit, expectedBase } = prepared;
  const there = await relay.shared?.land({ branch: base, from: expectedBase, to: commit });
  if (there?.is === "moved") return false;
  if (there?.is === "refused") {
    blockProtected(relay, there.said);
    return true;
  }
  const move = { base, commit, expected: expectedBase };
  const moved = await movingBranch(relay, base, () => moveBase(git, move));
  if (there && !moved.moved)
    relay.onProgress({
      type: "warning",
      text: t`merged on ${relay.shared!.name}; ${base} here follows with git pull ${relay.shared!.name} ${base}`,
    });
  if (there || moved.moved) {
    await finish(relay, prepared);
    return true;
  }
  if (moved.why === "lost") return false;
  await moveRef(git, refs.parked(relay.issue), commit);
  if (moved.why === "stuck") {
    block(relay, {
      reason: { rule: "base_stuck", base, said: moved.because },
      hint: [byHand(moved.remedy)],
    });
    return true;
  }
  blockHeld(relay, moved);
  return true;
}

function blockProtected(relay: Relay, said: string): void {
  const { base } = openingOf(relay);
  const { name } = relay.shared!;
  block(relay, {
    reason: { rule: "push_failed", branch: base, remote: name, said },
    hint: [byHand(t`where ${name} protects ${base}, set finish: pr`)],
  });
}

function blockHeld(relay: Relay, held: Held): void {
  const { base } = openingOf(relay);
  const merge = `git -C ${shellWord(held.worktree)} merge --ff-only --no-overwrite-ignore ${refs.parked(relay.issue)}`;
  block(relay, {
    reason: { rule: "base_held", base, worktree: held.worktree, said: held.because },
    hint: [byHand(held.remedy), ...(held.byHand ? [byHand(merge)] : [])],
  });
}

/** Records the merge, after removing the clones: a crash in between leaves the merge on the base, and this runs again. */
export async function finish(relay: Relay, { submission, commit }: Prepared): Promise<void> {
  const { base } = openingOf(relay);
  const remedy = await lockRemedy(relay.repository.git, base);
  if (remedy !== undefined)
    relay.onProgress({ type: "warning", text: t`${base} has moved, and a lock of git's is left: ${remedy}` });
  await attest(relay, commit);
  const kept = [...(await tidyUp(relay, submission)), ...(await learn(relay))];
  relay.record({ type: "merge.done", submission, commit, ...(kept.length > 0 ? { kept } : {}) });
}

/** Runs the checks on the merged tree; skipped if the same checks passed on a tree that differs only in the issue's file. */
async function checkMerged(
  relay: Relay,
  record: SubmissionRecord,
  merged: { tree: string; commit: string; onto: string },
): Promise<string | undefined> {
  const { contract } = openingOf(relay);
  for (const checks of [record.checks, record.mergeChecks]) {
    const ran = checks?.results.map(({ command }) => command);
    if (!checks?.ok || contractNow(relay).checks.some((command) => !ran?.includes(command))) continue;
    const differs = await namesBetween(relay.repository.root, checks.tree, merged.tree);
    if (!differs.every((name) => name === contract.path)) continue;
    keepAsBaseline(relay, merged.tree, checks.results);
    return undefined;
  }
  const ref = refs.merging(relay.issue);
  await moveRef(relay.repository.git, ref, merged.commit);
  const logs = `${relay.places.submission(record.submission)}/merge`;
  const check = { ref, folder: relay.places.review, logs, name: runName`merge check` };
  const results = await besideBaseline(relay, await checkClone(relay, check), merged.onto);
  if (relay.control.interrupt.aborted) return undefined;
  const ok = !results.some(isRed);
  const containment = containmentBy(settingsOf(relay), "reviewer");
  const { submission: n } = record;
  relay.record({ type: "checks.ran", target: "merge", n, tree: merged.tree, ok, results, containment });
  if (ok) {
    keepAsBaseline(relay, merged.tree, results);
    return undefined;
  }
  const red = results.filter(isRed).map(failureWords);
  return t`on the merged tree: ${red.join(", ")} failed`;
}

export function block(relay: Relay, why: Block): void {
  relay.record({ type: "relay.blocked", ...why });
}
