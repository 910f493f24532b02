/** The overview of this repository: reads each journal and each issue's front matter once, and asks the system which processes live. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { attempt } from "../../core/error/attempt.ts";
import { dirname, join } from "node:path";
import { MonocoError } from "../../core/error/error.ts";
import { systemError } from "../../core/error/system-error.ts";
import type { Card } from "../../core/issue/card.ts";
import { overviewOf } from "../../core/overview/overview.ts";
import type { OverviewFacts, Overview } from "../../core/overview/overview.ts";
import type { SeenRelay } from "../../core/overview/relay-item.ts";
import { reportOf } from "../../core/report/report.ts";
import { replay } from "../../core/journal/state.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { commitElsewhere, phaseOf } from "../../core/relay/phase.ts";
import { isAncestor } from "../../git/repository.ts";
import { io } from "../../io/io.ts";
import { writeAtomically } from "../../store/durable.ts";
import { idOfName } from "../../store/issue-folder.ts";
import { viewJournal } from "../../store/journal-view.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { spendingsIn } from "../../store/spendings.ts";
import { othersHere, placesFor, relayIds } from "../here.ts";
import type { Here } from "../here.ts";
import { cardsHere } from "../listed-issues.ts";
import { backgroundRun } from "../runner-lock.ts";
import { cardsKeptMs } from "./known.ts";
import type { Known } from "./known.ts";
import { lookAt } from "./relay-look.ts";

/** `states` are the relays' own, for spelling commands. */
export type OverviewHere = { overview: Overview; states: Map<string, RelayState> };

/** With `known`, reads only what has changed since the last look, and notes it there. */
export async function overviewHere(here: Here, known?: Known): Promise<OverviewHere> {
  const states = new Map<string, RelayState>();
  const { issues, unread } = await issuesHere(here, known);
  const cards = new Map(issues.map((card) => [card.id, card]));
  const relays: SeenRelay[] = [];
  const tried = async (issue: string, does: () => Promise<void> | void): Promise<void> => {
    try {
      await does();
    } catch (error) {
      states.delete(issue);
      unread.push(await whyUnread(here, issue, error));
    }
  };
  for (const issue of relayIds(here))
    await tried(issue, () => {
      const { journal } = placesFor(here, issue);
      states.set(issue, known ? known.stateOf(journal) : replay(viewJournal(journal)));
    });
  const elsewhere = spendingsIn(states, othersHere(here));
  for (const [issue, state] of states)
    await tried(issue, async () => {
      const reopened = await isReopened(here, { card: cards.get(issue), state, isIn: known?.isIn });
      const before = known?.over.get(issue);
      if (before?.state === state && before.seq === state.seq)
        return void relays.push({ ...before.relay, reopened });
      const read = { state, elsewhere, ...(known && { isIn: known.isIn }) };
      const { now, stoppedRunner, current } = await lookAt(here, issue, read);
      const seen = { issue, report: { ...reportOf(state, now), issue }, atMs: state.atMs };
      const relay = { ...seen, running: current, stoppedRunner, stoppedSession: current?.stoppedProcess };
      // The base may still take over work that is left on its branch.
      const isSettled = commitElsewhere(state.opening) === undefined || now.around?.takenOver === true;
      if (isSettled && ["done", "cancelled"].includes(phaseOf(state)))
        known?.over.set(issue, { state, seq: state.seq, relay });
      relays.push({ ...relay, reopened });
    });
  const lastLookMs = lastLook(here);
  const handedOver = await handedOverHere(here, tried);
  const background = backgroundRun(repositoryPlaces(here.repository.root, io().env)) ?? null;
  const facts = { relays, issues, unread, nowMs: Date.now(), lastLookMs, handedOver, background };
  return { overview: overviewOf(facts), states };
}

/** The branches of handed-over issues. Loads zod only if there are any. */
async function handedOverHere(
  here: Here,
  tried: (issue: string, does: () => Promise<void>) => Promise<void>,
): Promise<Map<string, string>> {
  const places = repositoryPlaces(here.repository.root, io().env);
  const branches = new Map<string, string>();
  if (!existsSync(places.handovers)) return branches;
  const { issuesHandedOver, readHandOver } = await import("../../store/handovers.ts");
  for (const issue of issuesHandedOver(places)) {
    await tried(issue, async () => {
      const given = readHandOver(places, issue);
      if (given) branches.set(issue, given.branch);
    });
  }
  return branches;
}

/** Whether an issue is open again after its merge. A tree without the merge is merely older. */
async function isReopened(
  here: Here,
  {
    card,
    state,
    isIn = isAncestor,
  }: { card: Card | undefined; state: RelayState; isIn?: Known["isIn"] | undefined },
): Promise<boolean> {
  const merged = state.opening?.merged;
  if (!merged || !card || card.status === "closed") return false;
  return isIn(here.repository.git, merged.commit, "HEAD");
}

/** Why a journal cannot be read, with the line. An error that is neither the journal's fault nor the system's is a bug. */
async function whyUnread(here: Here, id: string, error: unknown): Promise<OverviewFacts["unread"][number]> {
  const { readJournal } = await import("../../store/journal.ts");
  try {
    readJournal(placesFor(here, id).journal);
  } catch (refused) {
    const fault = refused instanceof MonocoError ? refused : systemError(refused);
    if (fault) return { id, message: fault.message, hint: fault.hint ?? "" };
  }
  // The journal's first line was not completed.
  if (error instanceof MonocoError) return { id, message: error.message, hint: error.hint ?? "" };
  throw error;
}

async function issuesHere(
  here: Here,
  known: Known | undefined,
): Promise<{ issues: Card[]; unread: OverviewFacts["unread"][number][] }> {
  const atMs = performance.now();
  const isKept = known?.cards && atMs - known.cards.atMs < cardsKeptMs;
  const read = (isKept && known.cards?.read) || (await cardsHere(here));
  if (known && !isKept) known.cards = { atMs, read };
  const issues = new Map<string, Card>();
  for (const { card } of read.issues) if (!issues.has(card.id)) issues.set(card.id, card);
  const unread = read.unread.flatMap(({ path, fault }) => {
    const id = idOfName(path);
    return id === undefined ? [] : [{ id, message: `${path}: ${fault.message}`, hint: fault.hint }];
  });
  const broken = read.broken.map(({ id, error }) => ({ id, message: error.message, hint: error.hint ?? "" }));
  return { issues: [...issues.values()], unread: [...unread, ...broken] };
}

/** The path of the last look: the state folder belongs to this person alone. */
function lookPath(here: Here): string {
  return join(repositoryPlaces(here.repository.root, io().env).clones, "last-look.json");
}

function lastLook(here: Here): number | undefined {
  return attempt(() => {
    const { atMs } = JSON.parse(readFileSync(lookPath(here), "utf8")) as { atMs?: unknown };
    return typeof atMs === "number" ? atMs : undefined;
  }, undefined);
}

/** Remembers that the person has looked. If that fails, the next look reports old news again. */
export function rememberLook(here: Here, atMs: number): void {
  try {
    mkdirSync(dirname(lookPath(here)), { recursive: true });
    writeAtomically(lookPath(here), JSON.stringify({ atMs }));
  } catch {
    // The last look is a convenience only.
  }
}
