/** Gathers the facts for a diagnosis: the machine, and the repository if there is one. Reads only. */
import type { Facts, LeftClone, Refusal, RepositoryFacts } from "../../core/doctor/facts.ts";
import { attempt, unlessRefused } from "../../core/error/attempt.ts";
import { MonocoError } from "../../core/error/error.ts";
import type { RelayState } from "../../core/journal/relay-state.ts";
import { replay } from "../../core/journal/state.ts";
import { givenWords, unsetIn } from "../../core/report/given.ts";
import { phaseOf } from "../../core/relay/phase.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { holdersOf, locksIn, remedyFor } from "../../git/killed/locks.ts";
import { keptRefs } from "../../git/refs.ts";
import { isYoung } from "../../git/start/young-lock.ts";
import { commitOf } from "../../git/repository.ts";
import { behindUpstream } from "../../git/remotes.ts";
import { worktreesOf } from "../../git/worktrees.ts";
import { io } from "../../io/io.ts";
import { compareWithCopy } from "../../relay/journal-copy.ts";
import { lookForForeign } from "../../store/foreign-lines.ts";
import { readJournal } from "../../store/journal.ts";
import { isLocked } from "../../store/lock.ts";
import { repositoryPlaces } from "../../store/places.ts";
import { baselineSeen } from "../baseline.ts";
import { tryPush } from "../carry/carrier.ts";
import { isOutside, openHere, placesFor, relayIds } from "../here.ts";
import type { Here } from "../here.ts";
import { homeAhead } from "../wire.ts";
import { loadOwnSettings, loadSettings } from "../settings.ts";
import { clonesLeft } from "./left.ts";
import { machineFacts } from "./machine.ts";
import { runnerFacts } from "./runner.ts";

export type Gathered = { facts: Facts; here: Here | undefined };

/** With `ci`, also what a CI runner needs. */
export async function gather(ci = false): Promise<Gathered> {
  const here = await refusable(() => openHere());
  if ("refused" in here) return withoutRepository(here.refused);
  const { root } = here.repository;
  const places = repositoryPlaces(root, io().env);
  const settings = await refusable(async () => loadSettings(here));
  const machine = await machineFacts({
    root: here.repository.checkout,
    places,
    settings: "refused" in settings ? undefined : settings,
  });
  const runner = ci && !("refused" in settings) ? await runnerFacts(here, settings) : undefined;
  return { facts: { machine, runner, repository: await repositoryFacts(here, settings) }, here };
}

/** Without git no repository can be identified. */
async function withoutRepository(refused: Refusal): Promise<Gathered> {
  const settings = unlessRefused(loadOwnSettings);
  const machine = await machineFacts({ root: io().cwd, settings });
  const repository =
    machine.git === undefined ? {} : { repository: { refused, outside: isOutside(io().cwd) } };
  return { facts: { machine, ...repository }, here: undefined };
}

async function refusable<T extends object>(make: () => Promise<T>): Promise<T | { refused: Refusal }> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof MonocoError)) throw error;
    return { refused: { said: error.message, hint: error.hint ?? "" } };
  }
}

async function repositoryFacts(
  here: Here,
  settings: Settings | { refused: Refusal },
): Promise<RepositoryFacts> {
  const { git, root, commonDir } = here.repository;
  const damaged: RepositoryFacts["damaged"][number][] = [];
  const standings = new Map<string, LeftClone["relay"]>();
  for (const issue of relayIds(here)) {
    const read = await refusable(() => readSound(here, issue));
    // A damaged journal does not say which clones its relay still needs.
    standings.set(issue, "refused" in read ? "open" : standingOf(read));
    if ("refused" in read) damaged.push({ issue, ...read.refused });
  }
  const worktrees = (await worktreesOf(git)).map(({ path }) => path);
  const locks = locksIn(commonDir, worktrees);
  return {
    home: "refused" in settings ? undefined : await refusable(async () => homeAhead(here, settings)),
    remote: "refused" in settings ? undefined : await remoteSeen(here, settings),
    behind: "refused" in settings ? undefined : await behindUpstream(git, settings.base),
    baseline: "refused" in settings ? undefined : await baselineSeen(here, settings),
    settings:
      "refused" in settings
        ? settings
        : {
            base: settings.base,
            baseThere: (await commitOf(git, `refs/heads/${settings.base}`)) !== undefined,
            given: givenWords(settings.env),
            unset: unsetIn(io().env, settings.env),
          },
    locks: {
      paths: locks.paths,
      left: locks.atWork?.length === 0 && !locks.paths.some(isYoung),
      remedy: remedyFor(locks),
    },
    relays: standings.size - damaged.length,
    refs: (await keptRefs(here.repository)).filter(
      ({ ref }) => standings.get(ref.split("/")[2] ?? "") !== "open",
    ).length,
    damaged,
    orphans: [...standings.keys()].flatMap((issue) => orphanOf(here, issue)),
    clones: clonesLeft(repositoryPlaces(root, io().env).clones, (issue) => {
      const seen = standings.get(issue) ?? "none";
      return seen === "none" ? standingNow(here, issue) : seen;
    }),
  };
}

/** Asks the remote only if the settings name one: a diagnosis else needs no network. */
async function remoteSeen(here: Here, settings: Settings): Promise<RepositoryFacts["remote"]> {
  if (!settings.remote) return undefined;
  return { name: settings.remote.name, said: await tryPush(here, settings) };
}

/** Reads a relay's state. Throws if the journal is damaged, or shorter than its copy. */
async function readSound(here: Here, issue: string): Promise<RelayState> {
  const places = placesFor(here, issue);
  lookForForeign(places.journal);
  const state = replay(readJournal(places.journal));
  if (standingOf(state) === "open") await compareWithCopy({ repository: here.repository, issue, places });
  return state;
}

/** The state of a relay, for cleaning up after it. */
export function standingOf(state: RelayState): LeftClone["relay"] {
  const phase = phaseOf(state);
  if (phase === "none" || state.opening?.cleared) return "none";
  return ["done", "cancelled"].includes(phase) ? "over" : "open";
}

/** Looks again: a run may have opened the relay, and made its clone, since the relays were listed. */
function standingNow(here: Here, issue: string): LeftClone["relay"] {
  const { journal, runnerLock } = placesFor(here, issue);
  if (isLocked(runnerLock)) return "open";
  return attempt(() => standingOf(replay(readJournal(journal))), "open");
}

/** A session whose processes hold its lock, while no runner holds the relay's. */
function orphanOf(here: Here, issue: string): RepositoryFacts["orphans"] {
  const { runnerLock, sessionLock } = placesFor(here, issue);
  if (isLocked(runnerLock) || !isLocked(sessionLock)) return [];
  return [{ issue, pids: holdersOf([sessionLock], []) ?? [] }];
}
