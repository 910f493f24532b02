/** monoco stop, show, clear: a person's commands for a relay besides running it. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { plain, plainLine } from "../../core/text/sanitize.ts";
import { workBefore } from "../../core/relay/work-before.ts";
import type { HandedOver } from "../../core/handoff/handed-over.ts";
import { phaseOf } from "../../core/relay/phase.ts";
import { replay } from "../../core/journal/state.ts";
import { isAncestor, commitOf } from "../../git/repository.ts";
import { dropRefs, refs } from "../../git/refs.ts";
import { worktreesOf } from "../../git/worktrees.ts";
import { openRelay } from "../../relay/relay.ts";
import { tidyClones } from "../../relay/landing/tidy-up.ts";
import { dropHandOver, readHandOver } from "../../store/handovers.ts";
import { readJournal } from "../../store/journal.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { standingOf } from "../../app/doctor/gather.ts";
import { counted } from "../../core/language/counted.ts";
import { printJson } from "../../views/json.ts";
import { deliver, unheard } from "../../app/message.ts";
import { begunRelay, moreWork, noOpenRelay } from "../../app/no-relay.ts";
import { takeRunnerLock } from "../../app/runner-lock.ts";
import { currentSession, refuseFromWithin } from "../../app/session-context.ts";
import { idOrHere, openHere, placesFor, relayOrHere } from "../../app/here.ts";
import type { Here } from "../../app/here.ts";
import { setUpRelay } from "../../app/wire.ts";
import { io } from "../../io/io.ts";
import { hintWords, resumeCommand } from "../../views/hint.ts";
import { t } from "../../core/language/translate.ts";

/** Asks a running relay to stop with a handoff; pauses a relay that does not run. */
export async function stop(
  id: string | undefined,
  flags: { remote?: boolean; json: boolean },
): Promise<number> {
  refuseInSession("stop");
  if (flags.remote) return (await import("../there/tell.ts")).stopThere(id, flags);
  const { here, issue, journal } = await begunRelay(id);
  const delivery = await deliver(here, issue, { type: "stop" });
  const sentences = {
    runner: t`its session is asked to hand over; the relay then pauses`,
    left: t`the request lies in its inbox: the runner takes it as soon as it can`,
    taken: t`no session was running: the relay is paused`,
  };
  if (delivery.by === "taken" && delivery.refused !== undefined)
    throw new MonocoError("input", delivery.refused, {
      hint: t`monoco status ${issue} shows where it stands`,
    });
  if (flags.json) printJson({ issue, stop: delivery.by });
  else
    io().stdout.write(
      t`${issue}: ${sentences[delivery.by]}\nnext: ${resumeCommand(replay(readJournal(journal)))}\n`,
    );
  return 0;
}

/** Prints a handoff: the last one, or that of a given session. */
export async function show(
  id: string | undefined,
  flags: { session?: number; json: boolean },
): Promise<number> {
  const here = await openHere();
  const issue = await relayOrHere(here, id);
  const places = placesFor(here, issue);
  const state = replay(readJournal(places.journal));
  if (state.seq === 0) throw await noOpenRelay(here, issue);
  const handoff =
    flags.session === undefined
      ? state.opening?.handoff
      : state.sessions.find((session) => session.session === flags.session)?.handoff;
  if (!handoff) {
    const none =
      flags.session === undefined
        ? t`${issue} has no handoff yet`
        : t`${issue} has no handoff of session ${flags.session}`;
    const have = state.sessions.filter((session) => session.handoff).map((session) => session.session);
    throw new MonocoError("input", none, {
      hint:
        have.length > 0
          ? t`sessions with one: ${have.join(", ")}`
          : t`monoco status ${issue} shows where it stands`,
    });
  }
  const path = places.session(handoff.session, "executor").handoff;
  if (flags.json) printJson({ issue, path, ...handoff });
  else io().stdout.write(plain(existsSync(path) ? readFileSync(path, "utf8") : handoff.text));
  return 0;
}

/** Clears a relay: its clones are removed, its journal and refs stay, the next run opens a new one. */
export async function clear(
  id: string | undefined,
  flags: { force: boolean; refs: boolean; json: boolean },
): Promise<number> {
  refuseInSession("clear");
  const here = await openHere();
  refuseFromWithin(here.repository);
  const issue = await idOrHere(here, id);
  const places = placesFor(here, issue);
  if (flags.refs) return clearRefs(here, issue, flags);
  const given = readHandOver(repositoryPlaces(here.repository.root, io().env), issue);
  if (!existsSync(places.journal)) {
    if (given) return forget(here, given, flags);
    throw await noOpenRelay(here, issue);
  }
  const lock = await takeRunnerLock(places.runnerLock, issue);
  try {
    const relay = openRelay(setUpRelay(here, issue, unheard));
    const { opening } = relay.state;
    if (given && ["none", "done"].includes(phaseOf(relay.state))) return forget(here, given, flags);
    if (!opening || opening.cleared) throw await noOpenRelay(here, issue, relay.state);
    if (relay.state.sessions.some((session) => !session.ended)) {
      const message = t`${issue} has a session that was cut off; its work is not collected yet`;
      throw new MonocoError("input", message, {
        hint: t`monoco stop ${issue} does not help here: monoco resume ${issue}, and Ctrl-C once it runs, keeps the work; then clear`,
      });
    }
    const { git } = here.repository;
    const { base, branch } = opening;
    // A commit keeps the uncommitted work of the last session, but later changes by a person exist in the clone only.
    const keptClones = await tidyClones(relay, `${relay.state.seq}`, workBefore(opening)?.wip);
    relay.record({ type: "relay.cleared", by: "person" });
    rmSync(places.workspaceReady, { force: true });
    const tip = await commitOf(git, `refs/heads/${branch}`);
    const merged = tip !== undefined && (await isAncestor(git, tip, `refs/heads/${base}`));
    const holder = (await worktreesOf(git)).find((worktree) => worktree.branch === `refs/heads/${branch}`);
    const goes = !holder && (merged || flags.force);
    if (tip && goes) await git(["update-ref", "-d", `refs/heads/${branch}`, tip]);
    const kept = tip && !goes ? branch : null;
    const work = refs.head(issue);
    if (flags.json) printJson({ issue, cleared: true, keptBranch: kept, keptClones, work });
    else {
      const why = holder
        ? t`${plainLine(holder.path)} has it checked out`
        : t`it has unmerged work (--force removes it)`;
      const branchWords = kept ? t`; branch ${kept} is kept: ${why}` : "";
      const clones = keptClones.map((one) => t`kept: ${plainLine(one, 600)}\n`).join("");
      io().stdout.write(
        t`${issue}: cleared${branchWords}\n${clones}its journal and its work (${work}) stay\nnext: ${hintWords([opening.merged ? moreWork(issue) : [{ do: "open" }]], { issue })}\n`,
      );
    }
    return 0;
  } finally {
    lock.release();
  }
}

/** Drops the refs of a relay that is over. Its journal stays, and so does what it merged. */
async function clearRefs(
  here: Here,
  issue: string,
  flags: { force: boolean; json: boolean },
): Promise<number> {
  const places = placesFor(here, issue);
  if (!existsSync(places.journal)) throw await noOpenRelay(here, issue);
  const lock = await takeRunnerLock(places.runnerLock, issue);
  try {
    const state = replay(readJournal(places.journal));
    if (standingOf(state) === "open")
      throw new MonocoError("input", t`${issue} is not finished: its refs hold its work`, {
        hint: [[{ do: "clear", issue }]],
      });
    if (phaseOf(state) !== "done" && !state.opening?.merged && !flags.force)
      throw new MonocoError("input", t`${issue} was not merged: only its refs hold its work`, {
        hint: t`git log ${refs.head(issue)} shows it; monoco relay clear --refs --force ${issue} drops it`,
      });
    const dropped = await dropRefs(here.repository, issue);
    if (flags.json) printJson({ issue, refs: dropped });
    else io().stdout.write(t`${issue}: ${counted(dropped, "ref")} dropped; its journal stays\n`);
    return 0;
  } finally {
    lock.release();
  }
}

/** Drops a hand-over of a person's own session, or of another clone, that no relay has taken up. */
function forget(here: Here, { issue, branch, remote }: HandedOver, flags: { json: boolean }): number {
  const places = repositoryPlaces(here.repository.root, io().env);
  dropHandOver(places, issue);
  const work = remote === undefined ? refs.handedOver(issue) : refs.head(issue);
  if (flags.json) printJson({ issue, cleared: true, handedOver: branch, work });
  else
    io().stdout.write(
      t`${issue}: no relay takes ${plainLine(branch, 200)} over any more\nwhat was handed over stays under ${work}, its RALPH.md in ${plainLine(join(places.handovers, issue), 600)}\n`,
    );
  return 0;
}

function refuseInSession(what: "stop" | "clear"): void {
  if (currentSession()) {
    const message = t`relay ${what} is for people: a session cannot do that to its own relay`;
    throw new MonocoError("input", message, {
      hint: t`monoco relay prepare hands over, monoco issue submit puts the work up for review`,
    });
  }
}
