/** Pulls a relay: what the remote has, where only the remote went on; the next run begins with it. Nothing is overwritten. */
import { readFileSync, rmSync, rmdirSync } from "node:fs";
import { attempt } from "../../core/error/attempt.ts";
import { MonocoError, wordsOf } from "../../core/error/error.ts";
import { t } from "../../core/language/translate.ts";
import { aliasOf, isGivenOnce } from "../../core/carry/sides.ts";
import type { Kept, Outcome } from "../../core/carry/outcome.ts";
import { openingOf } from "../../core/journal/events/subject.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { recordedHere, replay } from "../../core/journal/state.ts";
import { refs } from "../../git/refs.ts";
import { moveRef, moveRefs } from "../../git/repository.ts";
import type { RefMove } from "../../git/repository.ts";
import { systemClock } from "../../relay/clock.ts";
import { writeDurably } from "../../store/durable.ts";
import { openJournal, readJournal } from "../../store/journal.ts";
import { dropHandOver, keepHandOver, readHandOver } from "../../store/handovers.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { io } from "../../io/io.ts";
import { tryRunnerLock } from "../runner-lock.ts";
import { hasBegun, placesFor } from "../here.ts";
import { handOverOf } from "./hand-over.ts";
import { compareSides, forkOf, remember, replacedIn, seenMoves } from "./compare.ts";
import type { Compared } from "./compare.ts";
import { commitsBelow, ownCommits, textsIn } from "./own.ts";
import type { Carrier, Commits } from "./own.ts";

/** The side that goes on where both did: the other one is kept under refs. */
export type Take = "theirs" | "mine" | undefined;

/** The remote's refs of the relay are fetched already. */
export async function pullRelay(carrier: Carrier, issue: string, take: Take): Promise<Outcome> {
  const lock = tryRunnerLock(placesFor(carrier.here, issue).runnerLock);
  if (!lock) return { is: "running" };
  try {
    return await pullLocked(carrier, issue, take);
  } finally {
    lock.release();
  }
}

async function pullLocked(carrier: Carrier, issue: string, take: Take): Promise<Outcome> {
  const { git } = carrier.here.repository;
  const fetched = await commitsBelow(git, refs.there(issue));
  const theirs = fetched.get("head");
  if (theirs === undefined) return { is: "absent" };
  const own = await ownCommits(carrier, issue, true);
  const compared = await compareSides(carrier, issue, { own, there: fetched });
  const mine = own.get("head");
  const side =
    compared.all === "both" && take ? ({ theirs: "there", mine: "here" } as const)[take] : compared.all;
  const { seen, there } = compared;
  switch (side) {
    case "there":
      return takeTheirs(carrier, issue, compared);
    case "both": {
      const forked = compared.head === "both" && mine !== undefined;
      return { is: "diverged", fork: forked ? await forkOf(git, { here: mine, there: theirs }) : undefined };
    }
    case "here":
      if (take === "mine") await remember(carrier, issue, { seen, now: there });
      return { is: "ahead", commit: mine ?? theirs, kept: await keptByPush(carrier, issue, compared) };
    case "same":
      await moveRefs(git, onceMoves(carrier, issue, compared));
      await remember(carrier, issue, { seen, now: there });
      if (await waitsAgain(carrier, issue, there))
        return { is: "pulled", commit: theirs, refs: 0, begins: true, kept: [] };
      return { is: "up_to_date", commit: theirs };
  }
}

/** Makes the hand-over of what was pulled again if there is none, as after `relay clear`, and no relay has begun here; returns whether it did. */
async function waitsAgain(carrier: Carrier, issue: string, there: Commits): Promise<boolean> {
  const { here } = carrier;
  const all = repositoryPlaces(here.repository.root, io().env);
  const events = readJournal(placesFor(here, issue).journal);
  if (readHandOver(all, issue) || recordedHere(events).length > 0) return false;
  const state = events.length === 0 ? undefined : replay(events.slice(0, -1));
  const given = await handOverOf(carrier, issue, { there, state });
  if (given) keepHandOver(all, given);
  return given !== undefined;
}

/**
 * Goes on from what the remote has: its head and journal replace those here, which are kept under refs, and a hand-over
 * begins the next run. Returns what was pulled, or why nothing was: a person's own session waits, or the refs moved just now.
 * A kill between two steps leaves a relay that the next pull, or run, goes on with: the hand-over names a commit that is
 * fetched, and the journal is replaced by one that begins with it.
 */
export async function takeTheirs(carrier: Carrier, issue: string, compared: Compared): Promise<Outcome> {
  const { here } = carrier;
  const { git, root } = here.repository;
  const { own, there } = compared;
  const head = there.get("head")!;
  const all = repositoryPlaces(root, io().env);
  const waits = readHandOver(all, issue);
  if (waits && waits.remote === undefined) return { is: "waits", branch: waits.branch };
  const journal =
    compared.journal === "same" || compared.journal === "here" ? undefined : there.get("journal");
  const places = placesFor(here, issue);
  const pulled = `${places.journal}.pulled`;
  try {
    const state = journal === undefined ? undefined : await readPulled(carrier, { issue, journal, pulled });
    const given = await handOverOf(carrier, issue, { there, state });
    if (given) keepHandOver(all, given);
    const kept = await keptHere(carrier, issue, compared);
    const moves = [...kept.map(({ ref, commit: to }) => ({ ref, to })), ...movesTo(carrier, issue, compared)];
    if (!(await moveRefs(git, moves))) {
      dropHandOver(all, issue);
      return { is: "running" };
    }
    if (journal !== undefined) {
      writeDurably(places.journal, readFileSync(pulled));
      const tree = (await git(["rev-parse", "--verify", `${journal}^{tree}`])).trim();
      await moveRef(git, refs.journal(issue), tree);
    }
    const isNew = own.get("head") !== head || journal !== undefined;
    const came = { is: "pulled", commit: head, refs: isNew ? moves.length : 0, kept } as const;
    return { ...came, begins: given !== undefined, ...(journal === undefined ? {} : { journal: true }) };
  } finally {
    rmSync(pulled, { force: true });
    // It may have been made for the file alone, and goes only if it is empty.
    attempt(() => rmdirSync(places.relay), undefined);
  }
}

/** A pulled journal, and the file that it is to be written to. */
export type Pulled = { issue: string; journal: string; pulled: string };

/** Ends a pulled journal: whoever may push could have written it. Returns what it says; throws like `writePulled`. */
async function readPulled(carrier: Carrier, of: Pulled): Promise<RelayState> {
  const state = await writePulled(carrier, of);
  const journal = openJournal(of.pulled);
  const remote = carrier.remote.name;
  journal.append(state.seq, { type: "relay.pulled", remote }, systemClock.nowMs());
  journal.close();
  return state;
}

/** Writes a pulled journal to its file. Returns what it says; throws `input` if it is none, is damaged, or of a newer monoco. */
export async function writePulled(
  { here, remote }: Carrier,
  { issue, journal: commit, pulled }: Pulled,
): Promise<RelayState> {
  writeDurably(pulled, (await textsIn(here.repository.git, commit)).join(""));
  try {
    const state = replay(readJournal(pulled));
    openingOf(state);
    return state;
  } catch (error) {
    // The file is gone by the time that somebody reads of it.
    const ref = `${refs.there(issue)}/journal`;
    const why = wordsOf(error).replace(pulled, ref);
    throw new MonocoError("input", t`what ${remote.name} has as the journal is not taken: ${why}`, {
      hint: t`git log -p ${ref} shows it`,
    });
  }
}

function movesTo(carrier: Carrier, issue: string, compared: Compared): RefMove[] {
  const { own, seen, there } = compared;
  const head = there.get("head")!;
  return [
    ...(own.get("head") === head
      ? []
      : [{ ref: refs.head(issue), to: head, expected: own.get("head") ?? "" }]),
    ...onceMoves(carrier, issue, compared),
    ...seenMoves(refs.seen(issue, carrier.remote.name), { seen, now: there }),
  ];
}

/** What is replaced here, under the refs that keep it. */
export async function keptHere({ here }: Carrier, issue: string, { own, there }: Compared): Promise<Kept[]> {
  const replaced = await replacedIn(here.repository.git, { newer: there, older: own });
  return replaced.map(({ name, commit }) => ({
    commit,
    ref: aliasOf(refs.earlier(issue, `${systemClock.nowMs()}/${name}`), commit),
  }));
}

/** What the next push replaces, under the names that it keeps it by. */
async function keptByPush(
  { here, prefix }: Carrier,
  issue: string,
  { own, there }: Compared,
): Promise<Kept[]> {
  const replaced = await replacedIn(here.repository.git, { newer: own, older: there });
  return replaced.map(({ name, commit }) => ({
    commit,
    ref: `${prefix}/${issue}/${aliasOf(`earlier/${name}`, commit)}`,
  }));
}

/**
 * The submissions, and the sessions' heads where they are carried. A clone with a journal of its own gives these names to
 * submissions and sessions of its own, so there the others' get longer ones.
 */
function onceMoves({ here, settings }: Carrier, issue: string, { own, there, journal }: Compared): RefMove[] {
  const counts = hasBegun(placesFor(here, issue).journal) && journal !== "there";
  return [...there].flatMap(([name, commit]) => {
    if (!isGivenOnce(name, settings.carry) || own.get(name) === commit) return [];
    const free = counts || own.has(name) ? aliasOf(name, commit) : name;
    return [{ ref: `refs/monoco/${issue}/${free}`, to: commit }];
  });
}
