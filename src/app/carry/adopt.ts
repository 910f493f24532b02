/**
 * Takes a relay over from another machine, in a remote run: it goes on where it was pushed, by the terms of this machine, and
 * nothing that was recorded elsewhere opens a gate here.
 */
import { existsSync, readFileSync, renameSync, rmSync, rmdirSync } from "node:fs";
import { isGivenOnce } from "../../core/carry/sides.ts";
import type { Outcome } from "../../core/carry/outcome.ts";
import { attempt } from "../../core/error/attempt.ts";
import type { RelayEvent } from "../../core/journal/event.ts";
import { replay } from "../../core/journal/state.ts";
import { runningSession } from "../../core/relay/phase.ts";
import { refs } from "../../git/refs.ts";
import { moveRef, moveRefs } from "../../git/repository.ts";
import type { RefMove } from "../../git/repository.ts";
import { systemClock } from "../../relay/clock.ts";
import { discardClones } from "../../relay/open.ts";
import type { Terms } from "../../relay/open.ts";
import { endTreeOf } from "../../relay/session/recover.ts";
import { writeDurably } from "../../store/durable.ts";
import { dropHandOver, readHandOver } from "../../store/handovers.ts";
import { readJournal } from "../../store/journal.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { io } from "../../io/io.ts";
import { hasBegun, placesFor } from "../here.ts";
import { compareSides, remember, seenMoves } from "./compare.ts";
import type { Compared } from "./compare.ts";
import { goOnHere } from "./go-on.ts";
import { keptHere, takeTheirs, writePulled } from "./pull.ts";
import { commitsBelow, ownCommits } from "./own.ts";
import type { Carrier, Commits } from "./own.ts";

/**
 * Goes on from what the remote has, where that is not contained in what is here. The caller holds the runner's lock and has not
 * opened the journal; the remote's refs of the relay, and the base, are fetched. Throws `input`, and changes nothing, if the
 * relay cannot go on here. `given`: the terms of a command line.
 */
export async function adoptRelay(carrier: Carrier, issue: string, given?: Terms): Promise<Outcome> {
  const { git } = carrier.here.repository;
  const fetched = await commitsBelow(git, refs.there(issue));
  const head = fetched.get("head");
  if (head === undefined) return { is: "absent" };
  const own = await ownCommits(carrier, issue, true);
  const compared = await compareSides(carrier, issue, { own, there: fetched });
  const { all, journal, seen, there } = compared;
  const places = placesFor(carrier.here, issue);
  const begun = hasBegun(places.journal);
  // A journal that was lost here has its copy.
  const isTheirs = begun ? journal === "there" || journal === "both" : there.has("journal");
  if ((begun || !isTheirs) && (all === "same" || all === "here")) {
    await remember(carrier, issue, { seen, now: there });
    return { is: all === "same" ? "up_to_date" : "ahead", commit: head, kept: [] };
  }
  // Commits alone begin a relay, like those of a plain pull.
  if (!isTheirs && !begun) return await takeTheirs(carrier, issue, compared);
  const pulled = `${places.journal}.pulled`;
  try {
    if (isTheirs) await writePulled(carrier, { issue, journal: there.get("journal")!, pulled });
    else writeDurably(pulled, readFileSync(places.journal));
    const names = await goOnHere(carrier, { issue, pulled, head }, given);
    // A new relay opens on the issue as it is on the base, and begins with the work.
    if (!names) return await takeTheirs(carrier, issue, compared);
    return await takeOver(carrier, { issue, pulled, isTheirs }, { compared, names });
  } finally {
    rmSync(pulled, { force: true });
    // It may have been made for the file alone, and goes only if it is empty.
    attempt(() => rmdirSync(places.relay), undefined);
  }
}

/** The relay, its new journal in the file `pulled`, and whether that is the remote's. */
type Ready = { issue: string; pulled: string; isTheirs: boolean };

/**
 * Replaces what is here. A kill between two steps leaves what the next take-over goes on with: the journal comes first, and until
 * the refs follow, the remote's head is not here.
 */
async function takeOver(
  carrier: Carrier,
  { issue, pulled, isTheirs }: Ready,
  { compared, names }: { compared: Compared; names: Commits },
): Promise<Outcome> {
  const { root, git } = carrier.here.repository;
  const places = placesFor(carrier.here, issue);
  const { there } = compared;
  const commit = there.get("head")!;
  const before = readJournal(places.journal);
  await endTreeOf({ issue, places }, runningSession(replay(before)));
  const nowMs = systemClock.nowMs();
  discardClones({ places, nowMs: () => nowMs });
  const kept = await keptHere(carrier, issue, compared);
  setAside(carrier, issue, { before, after: readJournal(pulled), nowMs });
  writeDurably(places.journal, readFileSync(pulled));
  const journal = isTheirs ? there.get("journal") : undefined;
  if (journal !== undefined) {
    const tree = (await git(["rev-parse", "--verify", `${journal}^{tree}`])).trim();
    await moveRef(git, refs.journal(issue), tree);
  }
  const moves = [
    ...kept.map(({ ref, commit: to }) => ({ ref, to })),
    ...movesTo(carrier, issue, { compared, names, nowMs }),
  ];
  if (!(await moveRefs(git, moves))) return { is: "running" };
  const all = repositoryPlaces(root, io().env);
  // What a plain pull has left to begin with is in the relay now.
  if (readHandOver(all, issue)?.remote !== undefined) dropHandOver(all, issue);
  return { is: "pulled", commit, refs: moves.length, begins: false, journal: true, kept };
}

/** Names that are given once are the journal's; what had such a name here is kept. */
function movesTo(
  { remote, settings }: Carrier,
  issue: string,
  { compared: { own, seen, there }, names, nowMs }: { compared: Compared; names: Commits; nowMs: number },
): RefMove[] {
  const once = [...there].filter(([name]) => isGivenOnce(name, settings.carry));
  const wanted = new Map([["head", there.get("head")!], ...once, ...names]);
  const moves = [...wanted].flatMap(([name, to]): RefMove[] => {
    const expected = own.get(name) ?? "";
    if (expected === to) return [];
    const replaced =
      expected === "" || name === "head"
        ? []
        : [{ ref: refs.earlier(issue, `${nowMs}/${name}`), to: expected }];
    return [{ ref: `refs/monoco/${issue}/${name}`, to, expected }, ...replaced];
  });
  return [...moves, ...seenMoves(refs.seen(issue, remote.name), { seen, now: there })];
}

/** Sets the journal aside that the new one does not contain, and the folders of its sessions, whose numbers are given anew. */
function setAside(
  { here }: Carrier,
  issue: string,
  { before, after, nowMs }: { before: readonly RelayEvent[]; after: readonly RelayEvent[]; nowMs: number },
): void {
  const places = placesFor(here, issue);
  const apart = before.findIndex((event, at) => JSON.stringify(event) !== JSON.stringify(after[at]));
  if (apart === -1) return;
  writeDurably(`${places.journal}.kept-${nowMs}`, readFileSync(places.journal));
  for (const event of before.slice(apart)) {
    if (event.type !== "session.started") continue;
    const { folder } = places.session(event.session, event.role);
    if (existsSync(folder)) renameSync(folder, `${folder}.kept-${nowMs}`);
  }
}
