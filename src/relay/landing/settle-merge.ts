/** Settles a merge that was prepared and then cut off: finds its commit, and finishes it or merges again. */
import { isOnBase } from "../../git/landing.ts";
import { gitsLanding } from "../../git/killed/left-git.ts";
import { MonocoError } from "../../core/error/error.ts";
import { byHand } from "../../core/journal/steps.ts";
import { leftGitMsMax } from "../../core/limits.ts";
import { isOnBranch, leaveOnBranch } from "./leave-on-branch.ts";
import { block, finish, mergeSubmission } from "./merge.ts";
import type { Prepared } from "./merge.ts";
import { openingOf, settingsOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { t } from "../../core/language/translate.ts";

/** After a crash, finishes the prepared merge if its commit has landed; otherwise merges again. */
export async function settleMerge(relay: Relay): Promise<void> {
  const prepared = relay.state.opening?.merge;
  if (!prepared) return;
  await relay.shared?.follow();
  const atWork = (await whereLanded(relay, prepared)) ? [] : await outlast(relay, prepared);
  const landed = await whereLanded(relay, prepared);
  if (landed === "base") await finish(relay, prepared);
  else if (landed === "branch") await leaveOnBranch(relay, prepared);
  else if (atWork.length > 0) blockAtWork(relay, prepared, atWork);
  else await mergeSubmission(relay, prepared.submission, prepared);
}

/**
 * Waits for the git of a killed runner, which may still land its merge: a second merge must not run at the same time. Returns
 * the processes that do not end.
 */
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

async function whereLanded(relay: Relay, prepared: Prepared): Promise<"base" | "branch" | undefined> {
  const { base } = openingOf(relay);
  if (await isOnBase(relay.repository.git, base, prepared.commit)) return "base";
  return settingsOf(relay).finish.by !== "merge" && (await isOnBranch(relay, prepared))
    ? "branch"
    : undefined;
}

/** Why a person's message about the work comes too late, if it does: the merge has landed or is landing but is not recorded. */
export async function whyTooLate(relay: Relay): Promise<string | undefined> {
  const prepared = relay.state.opening?.merge;
  const { base, branch, halted, finished } = openingOf(relay);
  // Work in an open pull request is recorded, and more may be submitted.
  if (finished) return undefined;
  const landed = prepared && (await whereLanded(relay, prepared));
  const atWork = prepared && !landed ? gitsLanding(prepared.commit) : [];
  if (prepared && atWork.length > 0) return leftWords(prepared.submission, atWork);
  // Work that is only on its branch and cannot be pushed may still be replaced.
  if (!landed || (landed === "branch" && halted?.phase === "blocked")) return undefined;
  const where = landed === "base" ? base : branch;
  return t`submission ${prepared.submission} is on ${where} already: monoco resume ${relay.issue} records that`;
}
