/** Performs one action of `decide`: every effect of a relay begins here and ends in events. */
import { commitOf, moveRef } from "../git/repository.ts";
import { writeDurably } from "../store/durable.ts";
import { keepSettings, keptSettings } from "../git/clone/own-settings.ts";
import { ignoreFolders, othersIn } from "../git/clone/inner.ts";
import { bringInBase, settleClone } from "../git/clone/settle.ts";
import { makeClone, restoreFiles } from "../git/clone/workspace.ts";
import { isOwnFolder } from "../git/folders.ts";
import { refs } from "../git/refs.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Action } from "../core/relay/action.ts";
import { workBefore } from "../core/relay/work-before.ts";
import { decisionEvent } from "../core/relay/decision-event.ts";
import { measureBaseline } from "./baseline.ts";
import { blockOnSetUp, setUp } from "./run-checks.ts";
import { handOver } from "./session/handover.ts";
import { mergeSubmission } from "./landing/merge.ts";
import { settleMerge } from "./landing/settle-merge.ts";
import { recoverSession } from "./session/recover.ts";
import { openingOf } from "./relay.ts";
import { cloneSource, gitWithin } from "./sandbox.ts";
import type { Relay } from "./relay.ts";
import { runSession } from "./session/session.ts";
import type { Workspace } from "./session/session.ts";
import { settleByChecks } from "./landing/finish-loop.ts";
import { checkSubmission, reviewClone } from "./review/check-submission.ts";
import { acceptFromSession, submitOnBehalf } from "./review/submission.ts";
import { besideReviewer } from "./review/try-out.ts";
import { weighVerdict } from "./review/weigh.ts";
import { t } from "../core/language/translate.ts";

/** Performs any action but `wait` and `rest`, which `runRelay` handles. */
export async function perform(relay: Relay, action: Exclude<Action, { do: "wait" | "rest" }>): Promise<void> {
  switch (action.do) {
    case "recover":
      return recoverSession(relay);
    case "accept":
      return acceptFromSession(relay, action.session);
    case "submit":
      return submitOnBehalf(relay, action.session);
    case "hand_over":
      return handOver(relay, action.session);
    case "check":
      return checkSubmission(relay, action.submission);
    case "weigh":
      return weighVerdict(relay, action.submission);
    case "settle":
      return settleByChecks(relay, action.submission);
    case "merge":
      return mergeSubmission(relay, action.submission);
    case "settle_merge":
      return settleMerge(relay);
    case "change_breaker":
    case "limit_rate":
    case "block":
      relay.record(decisionEvent(action));
      return undefined;
    case "start": {
      const { role, reason, submission, agents } = action;
      const plan = { role, reason, submission, agents };
      const workspace: Workspace | undefined =
        role === "executor" ? await executorsWorkspace(relay) : await reviewClone(relay, submission!);
      if (!workspace || relay.control.interrupt.aborted) return undefined;
      if (role === "executor") return runSession(relay, plan, workspace);
      const beside = besideReviewer(relay, submission!);
      try {
        return await runSession(relay, plan, workspace);
      } finally {
        await beside.end();
      }
    }
  }
}

/** The Executor's clone at the relay's head: kept between sessions, made and set up if it is missing or incomplete. */
async function executorsWorkspace(relay: Relay): Promise<Workspace | undefined> {
  if (!(await measureBaseline(relay))) return undefined;
  const made = await makeWorkspace(relay);
  if (!made) return undefined;
  const within = gitWithin(relay, made.folder);
  const base = await bringInBase({ ...cloneSource(relay), within }, made.folder);
  return { ...made, ...(base === undefined ? {} : { base }) };
}

/** Prepares a clone in which sessions and checks have run for the next session. */
async function settleWorkspace(relay: Relay, folder: string, head: string): Promise<void> {
  const source = { ...cloneSource(relay), within: gitWithin(relay, folder) };
  const aside = join(relay.places.relay, "git");
  const { names, kept } = await settleClone(source, folder, { head, aside });
  const last = openingOf(relay).sessions.findLast(({ role }) => role === "executor");
  ignoreFolders(folder, othersIn(folder, last?.ended?.repositories ?? []));
  const tell = (text: string): void => relay.onProgress({ type: "step", text });
  if (names.length > 0)
    tell(t`hooks and configuration of git were set aside, to ${aside}: ${names.join(", ")}`);
  if (kept !== undefined)
    tell(t`another branch blocks the work branch: the clone has a new .git, the old one is ${kept}`);
}

async function makeWorkspace(relay: Relay): Promise<{ folder: string; head: string } | undefined> {
  const { git } = relay.repository;
  const folder = relay.places.workspace;
  const ref = refs.head(relay.issue);
  const there = await commitOf(git, ref);
  const head = there ?? openingOf(relay).baseCommit;
  const { baseCommit, handedOver, sessions } = openingOf(relay);
  const isSetUp = existsSync(relay.places.workspaceReady);
  // A session has worked in it, though its set-up failed: the set-up is tried again there.
  const isMade =
    isOwnFolder(folder) && (isSetUp || (sessions.length > 0 && isOwnFolder(keptSettings(folder))));
  if (isMade) {
    await settleWorkspace(relay, folder, head);
    if (isSetUp) return { folder, head };
  } else {
    await makeAnew(relay, folder, there === undefined ? head : undefined);
  }
  const trusted = !isMade && head === baseCommit;
  const logs = join(relay.places.relay, "setup");
  const failed = await setUp(relay, { folder, logs, trusted, role: "executor" });
  if (relay.control.interrupt.aborted) return undefined;
  // The issue may be about the set-up that fails: the first session starts all the same and is told; later ones do not.
  const begins = (trusted || handedOver !== undefined) && sessions.length === 0;
  if (failed && (failed.timedOut || !begins)) {
    blockOnSetUp(relay, failed);
    return undefined;
  }
  await keepSettings(git, folder);
  if (!failed) writeDurably(relay.places.workspaceReady, `${head}\n`);
  return { folder, head };
}

/** `begin`: the commit at which a relay's head begins that is not there yet. */
async function makeAnew(relay: Relay, folder: string, begin: string | undefined): Promise<void> {
  relay.onProgress({ type: "step", text: t`making the workspace` });
  if (begin !== undefined) await moveRef(relay.repository.git, refs.head(relay.issue), begin);
  await makeClone(cloneSource(relay), folder);
  await restoreUncommitted(relay, folder);
}

/** Restores the last session's uncommitted work in a new workspace: its clone was deleted by hand, or was a person's own. */
async function restoreUncommitted(relay: Relay, folder: string): Promise<void> {
  const last = workBefore(openingOf(relay));
  if (!last?.wip) return;
  await restoreFiles(relay.repository.root, folder, refs.wip(relay.issue, last.session));
}
