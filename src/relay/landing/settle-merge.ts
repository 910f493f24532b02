/** Settles a merge that was prepared and then cut off: finds where its commit is, and finishes it or merges again. */
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

/** After a crash: the prepared commit is where it belongs, or the merge is done again. */
export async function settleMerge(relay: Relay): Promise<void> {
  const prepared = relay.state.opening?.merge;
  if (!prepared) return;
  const atWork = (await whereLanded(relay, prepared)) ? [] : await outlast(relay, prepared);
  const landed = await whereLanded(relay, prepared);
  if (landed === "base") await finish(relay, prepared);
  else if (landed === "branch") await leaveOnBranch(relay, prepared);
  else if (atWork.length > 0) blockAtWork(relay, prepared, atWork);
  else await mergeSubmission(relay, prepared.submission, prepared);
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
