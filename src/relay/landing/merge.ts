/** Lands an approved submission on the base as it is now: merged tree, checks, one prepared commit, compare-and-swap. */
import { isOnBase, lockRemedy, mergeTrees, moveBase, settleCut, withFile } from "../../git/landing.ts";
import type { Held } from "../../git/landing.ts";
import { gitsLanding } from "../../git/killed/left-git.ts";
import { commitOf, isAncestor, moveRef } from "../../git/repository.ts";
import { namesBetween } from "../../git/snapshot.ts";
import { refs } from "../../git/refs.ts";
import { removeClone } from "../../git/clone/workspace.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { EventOf } from "../../core/journal/event.ts";
import { byHand, resume } from "../../core/journal/steps.ts";
import type { Block } from "../../core/journal/steps.ts";
import { shellWord } from "../../core/text/shell.ts";
import { leftGitMsMax, mergeRoundsMax } from "../../core/limits.ts";
import type { SubmissionRecord } from "../../core/journal/relay-state.ts";
import { basesGiven } from "./bases.ts";
import { closing } from "./closing.ts";
import { question } from "./confirmation.ts";
import { compose } from "./make-commits.ts";
import { contractNow } from "../review/contract.ts";
import { learn } from "./learn.ts";
import { isOnBranch, leaveOnBranch } from "./leave-on-branch.ts";
import { openingOf, settingsOf, submissionOf } from "../relay.ts";
import { containmentBy } from "../sandbox.ts";
import type { Relay } from "../relay.ts";
import { checkClone } from "../review/check-submission.ts";
import { tidyUp } from "./tidy-up.ts";
import { waitForLock } from "../wait-for-lock.ts";
import { t } from "../../core/language/translate.ts";
import { named } from "../run-name.ts";

type Prepared = EventOf<"merge.prepared">;

/** Merges, or records why not (conflict, red checks, a checkout in the way). Others may move the base meanwhile, to `cutOff` too. */
export async function mergeSubmission(relay: Relay, submission: number, cutOff?: Prepared): Promise<void> {
  const record = submissionOf(relay, submission);
  // One merge at a time into a base: other relays finish at the same instant.
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
  // Nothing of the base's, and a push takes its time: others need not wait for it.
  if (left) await leaveOnBranch(relay, left);
}

/** The answer is what is not to land on the base, but to be left on its branch. */
async function prepareAndLand(
  relay: Relay,
  record: SubmissionRecord,
  cutOff: Prepared | undefined,
): Promise<Prepared | undefined> {
  for (let round = 1; round <= mergeRoundsMax; round++) {
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
    reason: { rule: "base_moving", base, times: mergeRoundsMax, submission: record.submission },
    hint: [byHand(t`wait until ${base} moves less often`)],
  });
  return undefined;
}

/** After a crash: the prepared commit is where it belongs, or the merge is done again. */
export async function settleMerge(relay: Relay): Promise<void> {
  const prepared = relay.state.opening?.merge;
  if (!prepared) return;
  const atWork = (await whereLanded(relay, prepared)) ? [] : await outlast(relay, prepared);
  const landed = await whereLanded(relay, prepared);
  if (landed === "base") await finish(relay, prepared);
  else if (landed === "branch") await leaveOnBranch(relay, prepared);
  else if (atWork.length > 0) blockAtWork(relay, prepared, atWork);
  else if (!(await isCutInTheWay(relay, prepared)))
    await mergeSubmission(relay, prepared.submission, prepared);
}

/** The git that a killed runner left may still land its merge: another beside it would be a second one. Those that do not end. */
async function outlast(relay: Relay, { submission, commit }: Prepared): Promise<number[]> {
  for (let waitedMs = 0; ; waitedMs += 50) {
    const atWork = gitsLanding(commit);
    if (atWork.length === 0 || waitedMs >= leftGitMsMax) return atWork;
    if (relay.control.interrupt.aborted)
      throw new MonocoError("interrupted", t`interrupted while waiting to merge`);
    if (waitedMs === 0) relay.onProgress({ type: "step", text: leftWords(submission, atWork) });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function leftWords(submission: number, atWork: readonly number[]): string {
  return t`a git that a killed monoco left is landing submission ${submission}: process ${atWork.join(", ")}`;
}

function blockAtWork(relay: Relay, { submission }: Prepared, atWork: readonly number[]): void {
  const { base, branch } = openingOf(relay);
  const said = leftWords(submission, atWork);
  const reason =
    settingsOf(relay).finish.by === "merge"
      ? ({ rule: "base_stuck", base, said } as const)
      : ({ rule: "branch_stuck", branch, said } as const);
  const wait = t`wait for the git that is at work there: process ${atWork.join(", ")}`;
  block(relay, { reason, hint: [byHand(wait)] });
}

/** A merge made anew is another commit: what the one that was cut off left must be settled while it is known. */
async function isCutInTheWay(relay: Relay, { commit, expectedBase }: Prepared): Promise<boolean> {
  const { base } = openingOf(relay);
  const cut = { base, commit, expected: expectedBase, scratch: relay.places.scratch };
  const held = await settleCut(relay.repository.git, cut);
  if (held) blockHeld(relay, held);
  return held !== undefined;
}

async function whereLanded(relay: Relay, prepared: Prepared): Promise<"base" | "branch" | undefined> {
  const { base } = openingOf(relay);
  if (await isOnBase(relay.repository.git, base, prepared.commit)) return "base";
  return settingsOf(relay).finish.by !== "merge" && (await isOnBranch(relay, prepared))
    ? "branch"
    : undefined;
}

/** Why a person's word on the work comes too late, if so: the merge has landed or is about to, and is only not yet recorded. */
export async function whyTooLate(relay: Relay): Promise<string | undefined> {
  const prepared = relay.state.opening?.merge;
  const { base, branch, halted, finished } = openingOf(relay);
  // Left in its pull request, it is settled: more may be submitted while that is open.
  if (finished) return undefined;
  const landed = prepared && (await whereLanded(relay, prepared));
  const atWork = prepared && !landed ? gitsLanding(prepared.commit) : [];
  if (prepared && atWork.length > 0) return leftWords(prepared.submission, atWork);
  // What stands on its branch alone and cannot go further (a push that is refused) may still be replaced.
  if (!landed || (landed === "branch" && halted?.phase === "blocked")) return undefined;
  const where = landed === "base" ? base : branch;
  return t`submission ${prepared.submission} is on ${where} already: monoco relay resume ${relay.issue} records that`;
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
    (await takenBack(relay, record, expectedBase)) ?? (await closing(relay, record, expectedBase));
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
  const { commit, strategy, instead } = await compose(relay, record, { tree, base: expectedBase });
  const red = await checkMerged(relay, record, { tree, commit });
  const asks =
    red === undefined &&
    !relay.control.interrupt.aborted &&
    (await question(relay, record, { commit, tree, onto: expectedBase }));
  if (asks) return "settled";
  removeClone(relay.places.review);
  if (red) {
    relay.record({ type: "merge.rejected", submission, baseCommit: expectedBase, why: red });
    return "settled";
  }
  if (relay.control.interrupt.aborted) return "settled";
  const how = { strategy, ...(instead === undefined ? {} : { instead }) };
  const prepared = { type: "merge.prepared", submission, commit, tree, expectedBase, ...how } as const;
  // What the merge rests on is in the journal, and agents could write there.
  relay.journal.verify();
  relay.record(prepared);
  return prepared;
}

/** A merge would bring in again what the person took off the base: that is not for it to decide. */
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

/** True when nothing is left to do: merged, or blocked for a person. */
async function land(relay: Relay, prepared: Prepared): Promise<boolean> {
  const { git } = relay.repository;
  const { base } = openingOf(relay);
  const { commit, expectedBase } = prepared;
  const moved = await moveBase(git, { base, commit, expected: expectedBase });
  if (moved.moved) {
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

function blockHeld(relay: Relay, held: Held): void {
  const { base } = openingOf(relay);
  const merge = `git -C ${shellWord(held.worktree)} merge --ff-only --no-overwrite-ignore ${refs.parked(relay.issue)}`;
  block(relay, {
    reason: { rule: "base_held", base, worktree: held.worktree, said: held.because },
    hint: [byHand(held.remedy), ...(held.byHand ? [byHand(merge)] : [])],
  });
}

/** The clones go first: after a crash in between, the merge is found on the base, and this is done again. */
async function finish(relay: Relay, { submission, commit }: Prepared): Promise<void> {
  const { base } = openingOf(relay);
  const remedy = await lockRemedy(relay.repository.git, base);
  if (remedy !== undefined)
    relay.onProgress({ type: "warning", text: t`${base} has moved, and a lock of git's is left: ${remedy}` });
  const kept = [...(await tidyUp(relay, submission)), ...(await learn(relay))];
  relay.record({ type: "merge.done", submission, commit, ...(kept.length > 0 ? { kept } : {}) });
}

/** The checks on the merged tree; skipped if that tree, but for the issue file, is one that was checked, by the same checks. */
async function checkMerged(
  relay: Relay,
  record: SubmissionRecord,
  merged: { tree: string; commit: string },
): Promise<string | undefined> {
  const { contract } = openingOf(relay);
  for (const checks of [record.checks, record.mergeChecks]) {
    const ran = checks?.results.map(({ command }) => command);
    if (!checks?.ok || contractNow(relay).checks.some((command) => !ran?.includes(command))) continue;
    const differs = await namesBetween(relay.repository.root, checks.tree, merged.tree);
    if (differs.every((name) => name === contract.path)) return undefined;
  }
  const ref = refs.merging(relay.issue);
  await moveRef(relay.repository.git, ref, merged.commit);
  const logs = `${relay.places.submission(record.submission)}/merge`;
  const results = await checkClone(relay, {
    ref,
    folder: relay.places.review,
    logs,
    name: named`merge check`,
  });
  if (relay.control.interrupt.aborted) return undefined;
  const ok = results.every((result) => result.exitCode === 0);
  const containment = containmentBy(settingsOf(relay), "reviewer");
  const { submission: n } = record;
  relay.record({ type: "checks.ran", target: "merge", n, tree: merged.tree, ok, results, containment });
  if (ok) return undefined;
  const red = results.filter((result) => result.exitCode !== 0).map((result) => result.command);
  return t`on the merged tree: ${red.join(", ")} failed`;
}

function block(relay: Relay, why: Block): void {
  relay.record({ type: "relay.blocked", ...why });
}
