/** Begins a relay with the work that a person's own session handed over: session 1 gets its branch and uncommitted work. */
import { branchIn } from "../../git/worktrees.ts";
import { refs } from "../../git/refs.ts";
import { commitOf, commitsBetween, isAncestor, mergeBase, moveRef } from "../../git/repository.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import type { HandedOver } from "../../core/handoff/handed-over.ts";
import { dropHandOver } from "../../store/handovers.ts";
import { keepCheckout } from "./checkout.ts";
import type { Checkout } from "./checkout.ts";
import { discardClones } from "../open.ts";
import { openingOf } from "../relay.ts";
import type { Relay } from "../relay.ts";
import { t } from "../../core/language/translate.ts";

/** Takes over the work; the relay is open and nothing of it runs. `except` names files of the checkout that are not work. */
export async function takeOver(relay: Relay, given: HandedOver, except: ReadonlySet<string>): Promise<void> {
  const { sessions, submissions } = openingOf(relay);
  // A crash came after the event and before the removal.
  if (relay.state.messageIds.has(given.id)) return dropHandOver(relay.repositoryPlaces, relay.issue);
  if (given.remote === undefined && sessions.length + submissions.length > 0) {
    relay.onProgress({ type: "warning", text: goneOn(relay, given) });
    return dropHandOver(relay.repositoryPlaces, relay.issue);
  }
  const { head, wip, leftOut } = await checkoutNow(relay, given, except);
  const { git } = relay.repository;
  if (given.remote !== undefined && (await goesBack(relay, head)))
    return dropHandOver(relay.repositoryPlaces, relay.issue);
  const base = await mergeBase(git, `refs/heads/${openingOf(relay).base}`, head);
  const commits = base === undefined ? 0 : await commitsBetween(git, base, head);
  discardClones(relay);
  await moveRef(git, refs.head(relay.issue), head);
  await moveRef(git, `${refs.session(relay.issue, 0)}/head`, head);
  if (wip) await moveRef(git, refs.wip(relay.issue, 0), wip);
  const { branch, text, sha256, lint, atMs, id, remote } = given;
  relay.record({
    type: "person.handed_over",
    branch,
    head,
    commits,
    ...(wip ? { wip } : {}),
    ...(leftOut.length > 0 ? { leftOut } : {}),
    text,
    sha256,
    lint,
    handedOverAtMs: atMs,
    ...(remote === undefined ? {} : { remote }),
    messageId: id,
  });
  dropHandOver(relay.repositoryPlaces, relay.issue);
}

/** Whether the relay of an open journal has gone on from what was pulled. */
async function goesBack({ repository: { git }, issue, state }: Relay, head: string): Promise<boolean> {
  const now = await commitOf(git, refs.head(issue));
  const begun = (state.opening?.sessions.length ?? 0) > 0;
  return begun && now !== undefined && now !== head && (await isAncestor(git, head, now));
}

/** The branch as it is now, if it is still checked out; otherwise as it was handed over. */
async function checkoutNow(
  relay: Relay,
  given: HandedOver,
  except: ReadonlySet<string>,
): Promise<Pick<Checkout, "head" | "wip" | "leftOut">> {
  const { worktree, issue } = given;
  if (existsSync(worktree) && (await branchIn(worktree)) === given.branch) {
    const scratch = join(relay.repositoryPlaces.handovers, issue, "snapshot");
    return keepCheckout(relay.repository, { worktree, issue, scratch, except });
  }
  const { head, wip, leftOut } = given;
  // If the ref that kept the commits was deleted, throws before anything is recorded.
  for (const commit of [head, ...(wip ? [wip] : [])]) {
    if (!(await commitOf(relay.repository.git, commit))) throw lost(given, commit);
  }
  return { head, ...(wip ? { wip } : {}), leftOut };
}

function lost({ issue, branch }: HandedOver, commit: string): MonocoError {
  return new MonocoError("input", t`${issue}: commit ${commit.slice(0, 8)} of ${branch} is gone`, {
    hint: t`check ${branch} out, then monoco relay prepare ${issue} hands over again`,
  });
}

function goneOn({ issue }: Relay, { branch }: HandedOver): string {
  return t`what was handed over from ${branch} is not taken up: the relay has gone on since; it stays under ${refs.handedOver(issue)}`;
}
